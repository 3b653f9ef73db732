// The PNG format (ISO/IEC 15948): eight-bit RGB, and international texts (iTXt). zlib packs the
// bytes.
#include "render/capture/png.h"

#include <zlib.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>

#include "compute/error.h"
#include "render/capture/file.h"

namespace lanescope::render {
namespace {

constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";
constexpr int compression = 4; // a third of the time of the default for a few per cent more bytes

std::string big_endian(std::uint32_t value)
{
    return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
            static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::uint32_t read_big_endian(std::string_view bytes)
{
    std::uint32_t value = 0;
    for (const char byte : bytes.substr(0, 4)) value = value << 8 | static_cast<std::uint8_t>(byte);
    return value;
}

std::uint32_t checksum(std::string_view bytes)
{
    return static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

void append_chunk(std::string& file, std::string_view type, std::string_view data)
{
    file += big_endian(static_cast<std::uint32_t>(data.size()));
    const std::size_t begin = file.size();
    file += type;
    file += data;
    file += big_endian(checksum(std::string_view(file).substr(begin)));
}

std::uint8_t paeth(int left, int above, int corner)
{
    const int estimate = left + above - corner;
    const int to_left = std::abs(estimate - left), to_above = std::abs(estimate - above),
              to_corner = std::abs(estimate - corner);
    if (to_left <= to_above && to_left <= to_corner) return static_cast<std::uint8_t>(left);
    return static_cast<std::uint8_t>(to_above <= to_corner ? above : corner);
}

// One row by one of PNG's filters (0 none, 1 left, 2 above, 4 Paeth); returns how far its bytes are
// from 0.
std::uint64_t filter(int kind, const std::uint8_t* row, const std::uint8_t* above,
                     std::size_t bytes, std::uint8_t* out)
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
        const int left = i >= 3 ? row[i - 3] : 0;
        const int up = above != nullptr ? above[i] : 0;
        const int corner = i >= 3 && above != nullptr ? above[i - 3] : 0;
        const int guess = kind == 0   ? 0
                          : kind == 1 ? left
                          : kind == 2 ? up
                                      : paeth(left, up, corner);
        out[i] = static_cast<std::uint8_t>(row[i] - guess);
        sum += static_cast<std::uint64_t>(std::abs(static_cast<std::int8_t>(out[i])));
    }
    return sum;
}

std::string filtered_rows(const Pixels& pixels)
{
    const std::size_t bytes = 3 * static_cast<std::size_t>(pixels.width);
    std::string rows;
    rows.reserve((bytes + 1) * static_cast<std::size_t>(pixels.height));
    std::array<std::vector<std::uint8_t>, 4> tried;
    tried.fill(std::vector<std::uint8_t>(bytes));
    constexpr std::array kinds{0, 1, 2, 4};
    const std::uint8_t* above = nullptr;
    for (int y = 0; y < pixels.height; ++y) {
        const std::uint8_t* row = pixels.rgb.data() + bytes * static_cast<std::size_t>(y);
        std::size_t best = 0;
        std::uint64_t least = ~std::uint64_t{0};
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const std::uint64_t sum = filter(kinds[i], row, above, bytes, tried[i].data());
            if (sum < least) {
                least = sum;
                best = i;
            }
        }
        rows.push_back(static_cast<char>(kinds[best]));
        rows.append(reinterpret_cast<const char*>(tried[best].data()), bytes);
        above = row;
    }
    return rows;
}

[[noreturn]] void fail_damaged(const std::string& name)
{
    throw Error(ExitStatus::bad_usage, fmt::format("{} is damaged or cut short.", name),
                "Save it again.");
}

// keyword, 0, not compressed, method 0, language 0, translated keyword 0, text
std::string text_chunk(const std::string& key, const std::string& text)
{
    return key + std::string(5, '\0') + text;
}

std::optional<std::pair<std::string, std::string>> parse_text_chunk(std::string_view data)
{
    const auto key_end = data.find('\0');
    if (key_end == std::string_view::npos || data.size() < key_end + 3 || data[key_end + 1] != 0)
        return std::nullopt;
    const auto language_end = data.find('\0', key_end + 3);
    if (language_end == std::string_view::npos) return std::nullopt;
    const auto translated_end = data.find('\0', language_end + 1);
    if (translated_end == std::string_view::npos) return std::nullopt;
    return std::pair(std::string(data.substr(0, key_end)),
                     std::string(data.substr(translated_end + 1)));
}

} // namespace

std::string encode_png(const Pixels& pixels, const PngText& text)
{
    std::string file(signature);
    append_chunk(file, "IHDR",
                 big_endian(static_cast<std::uint32_t>(pixels.width)) +
                     big_endian(static_cast<std::uint32_t>(pixels.height)) +
                     std::string("\x08\x02\x00\x00\x00", 5));
    for (const auto& [key, value] : text) append_chunk(file, "iTXt", text_chunk(key, value));
    const std::string rows = filtered_rows(pixels);
    uLongf packed_bytes = compressBound(static_cast<uLong>(rows.size()));
    std::string packed(packed_bytes, '\0');
    compress2(reinterpret_cast<Bytef*>(packed.data()), &packed_bytes,
              reinterpret_cast<const Bytef*>(rows.data()), static_cast<uLong>(rows.size()),
              compression);
    append_chunk(file, "IDAT", std::string_view(packed).substr(0, packed_bytes));
    append_chunk(file, "IEND", {});
    return file;
}

void write_png(const std::filesystem::path& path, const Pixels& pixels, const PngText& text)
{
    write_file(path, encode_png(pixels, text));
}

PngText read_png_text(const std::filesystem::path& path)
{
    return decode_png_text(read_file(path), path.string());
}

PngText decode_png_text(std::string_view bytes, const std::string& name)
{
    std::string_view rest = bytes;
    if (!rest.starts_with(signature))
        throw Error(ExitStatus::bad_usage, fmt::format("{} is not a PNG picture.", name),
                    "Choose a picture that Lanescope saved.");
    rest.remove_prefix(signature.size());
    PngText text;
    for (;;) {
        if (rest.size() < 12 || rest.size() - 12 < read_big_endian(rest)) fail_damaged(name);
        const std::size_t data = read_big_endian(rest);
        const std::string_view type = rest.substr(4, 4);
        if (checksum(rest.substr(4, data + 4)) != read_big_endian(rest.substr(8 + data)))
            fail_damaged(name);
        if (type == "IEND") return text;
        if (type == "iTXt")
            if (auto entry = parse_text_chunk(rest.substr(8, data))) text.insert(std::move(*entry));
        rest.remove_prefix(12 + data);
    }
}

} // namespace lanescope::render
