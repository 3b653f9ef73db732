// Source that is not UTF-8 is taken for Windows-1252, in which every byte is a character and ASCII
// is unchanged.
#include "app/run/editing/own_text.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "compute/experiment/catalogue/texts.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

void append(std::string& text, std::uint32_t code)
{
    const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xc0 | code >> 6);
        byte(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        byte(0xe0 | code >> 12);
        byte(0x80 | (code >> 6 & 0x3f));
        byte(0x80 | (code & 0x3f));
    } else {
        byte(0xf0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3f));
        byte(0x80 | (code >> 6 & 0x3f));
        byte(0x80 | (code & 0x3f));
    }
}

// Bytes 0x80 to 0x9f; the rest is Latin-1.
constexpr std::array<std::uint16_t, 32> windows_1252{
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

std::string decode_windows_1252(std::string_view bytes)
{
    std::string text;
    for (const char one : bytes) {
        const auto byte = static_cast<unsigned char>(one);
        append(text, byte >= 0x80 && byte < 0xa0 ? windows_1252[byte - 0x80] : byte);
    }
    return text;
}

// Decodes after the byte order mark; an unpaired surrogate becomes the replacement character.
std::string decode_utf16(std::string_view bytes, bool big)
{
    const auto unit = [&](std::size_t at) -> std::uint32_t {
        const auto first = static_cast<unsigned char>(bytes[at]);
        const auto second = static_cast<unsigned char>(bytes[at + 1]);
        return big ? first << 8 | second : second << 8 | first;
    };
    std::string text;
    for (std::size_t at = 2; at + 1 < bytes.size(); at += 2) {
        std::uint32_t code = unit(at);
        if (code >= 0xd800 && code < 0xe000) {
            const std::uint32_t low = code < 0xdc00 && at + 3 < bytes.size() ? unit(at + 2) : 0;
            const bool pair = low >= 0xdc00 && low < 0xe000;
            code = pair ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
            if (pair) at += 2;
        }
        append(text, code);
    }
    return text;
}

} // namespace

OwnText as_utf8(std::string bytes, const std::string& name)
{
    const auto read_as = [&](std::string text, const char* encoding) {
        return OwnText{std::move(text),
                       fmt::format("{} is not UTF-8: it was read as {}, and is saved as UTF-8.",
                                   name, encoding)};
    };
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.erase(0, 3);
    if (labs::is_utf8(bytes)) return {std::move(bytes), {}};
    const bool little = bytes.starts_with("\xFF\xFE");
    if (little || bytes.starts_with("\xFE\xFF"))
        return read_as(decode_utf16(bytes, !little), "UTF-16");
    if (bytes.find('\0') != std::string::npos) return {std::move(bytes), {}};
    return read_as(decode_windows_1252(bytes), "Windows-1252");
}

OwnText read_own_text(const std::filesystem::path& file)
{
    return as_utf8(render::read_file(file, labs::max_text_bytes), text_name(file));
}

std::string text_name(const std::filesystem::path& file)
{
    return as_utf8(file.filename().string(), {}).text;
}

std::filesystem::path file_of_text(const std::filesystem::path& kernel, const std::string& name)
{
    return name == text_name(kernel) ? kernel : kernel.parent_path() / name;
}

} // namespace lanescope::app
