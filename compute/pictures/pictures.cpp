// Recognises the format, and decodes JPEG with stb_image, whose code is compiled here.
#include "compute/pictures/pictures.h"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#include <stb_image.h>

#include <memory>

#include <fmt/format.h>

#include "compute/pictures/formats.h"

namespace lanescope::pictures {
namespace {

using Kind = Problem::Kind;

// Each scan of a progressive JPEG visits all of its pixels; this many visits take a few seconds.
constexpr std::uint64_t max_scanned_pixels = std::uint64_t{1} << 33;

std::uint64_t scans_of(std::string_view bytes)
{
    constexpr std::string_view start_of_scan = "\xff\xda";
    std::uint64_t scans = 0;
    for (std::size_t at = bytes.find(start_of_scan); at != std::string_view::npos;
         at = bytes.find(start_of_scan, at + start_of_scan.size()))
        ++scans;
    return scans;
}

// stb_image gives no reason for some damaged files.
std::string failure_reason()
{
    const char* const reason = stbi_failure_reason();
    return reason != nullptr ? reason : "it is damaged";
}

// Throws Problem if a Huffman table has more than 256 codes: stb_image 2.27 (in Debian 12) writes
// past its array then.
void check_huffman_tables(std::string_view bytes)
{
    constexpr std::size_t max_codes = 256;
    const auto byte = [&](std::size_t at) -> std::size_t {
        return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0; // like stb_image
    };
    const auto length = [&](std::size_t at) { return byte(at) << 8 | byte(at + 1); };
    const auto check = [&](std::size_t at) { // the segment's length field
        const std::size_t end = at + length(at);
        for (at += 2; at < end;) {
            const std::size_t table = byte(at);
            if (table >> 4 > 1 || (table & 15) > 3) return; // stb_image rejects the file here
            std::size_t codes = 0;
            for (std::size_t i = 1; i <= 16; ++i) codes += byte(at + i);
            if (codes > max_codes)
                throw Problem(Kind::damaged, "a Huffman table has too many codes");
            at += 17 + codes;
        }
    };
    // Walks the segments up to the first scan, then searches for the marker, which scans escape.
    std::size_t at = 2;
    while (at < bytes.size()) {
        if (byte(at++) != 0xff) continue;
        while (byte(at) == 0xff) ++at;
        const std::size_t marker = byte(at++);
        if (marker == 0xda) break;
        if (marker == 0xc4) check(at);
        at += length(at);
    }
    constexpr std::string_view define_tables = "\xff\xc4";
    for (at = bytes.find(define_tables, at); at != std::string_view::npos;
         at = bytes.find(define_tables, at + 1))
        check(at + 2);
}

} // namespace

void check_size(std::uint32_t width, std::uint32_t height)
{
    if (width == 0 || height == 0) throw Problem(Kind::damaged, "it has no pixels");
    if (width > max_side || height > max_side)
        throw Problem(Kind::too_large, fmt::format("it has {} × {} pixels, more than {} per side",
                                                   width, height, max_side));
    if (std::uint64_t{width} * height > max_pixels)
        throw Problem(Kind::too_large, fmt::format("it has {} × {} pixels, more than {} million",
                                                   width, height, max_pixels / 1'000'000));
}

Pixels decode(std::string_view bytes)
{
    if (bytes.size() > max_file_bytes)
        throw Problem(Kind::too_large,
                      fmt::format("it is larger than {} MB", max_file_bytes >> 20));
    return is_png(bytes) ? decode_png(bytes) : decode_jpeg(bytes);
}

Pixels decode_jpeg(std::string_view bytes)
{
    const auto* const data = reinterpret_cast<const stbi_uc*>(bytes.data());
    const int size = static_cast<int>(bytes.size());
    check_huffman_tables(bytes);
    int width = 0;
    int height = 0;
    int channels = 0;
    if (stbi_info_from_memory(data, size, &width, &height, &channels) == 0)
        throw Problem(Kind::unknown, failure_reason());
    check_size(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height));
    const auto count = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
    if (scans_of(bytes) * count > max_scanned_pixels)
        throw Problem(Kind::too_large, "it has too many scans");
    const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
        stbi_load_from_memory(data, size, &width, &height, &channels, 4), stbi_image_free);
    if (!pixels) throw Problem(Kind::damaged, failure_reason());
    // stb_image fills in grey where a JPEG ends early; a complete one has an end marker, perhaps
    // followed by padding.
    if (bytes.rfind("\xff\xd9") == std::string_view::npos)
        throw Problem(Kind::damaged, "it has no end marker");
    return {width, height, {pixels.get(), pixels.get() + 4 * count}};
}

} // namespace lanescope::pictures
