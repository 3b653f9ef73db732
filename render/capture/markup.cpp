// Escapes the four special characters of markup, and encodes base64.
#include "render/capture/markup.h"

#include <cctype>
#include <cstdint>

namespace lanescope::render {

std::string escape(std::string_view text)
{
    std::string safe;
    for (const char letter : without_controls(text)) {
        switch (letter) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '"': safe += "&quot;"; break;
        default: safe += letter;
        }
    }
    return safe;
}

std::string markdown_text(std::string_view text)
{
    constexpr std::string_view marks = "\\`*[]<>&|~$#!{}";
    const std::string plain = without_controls(text);
    std::string safe;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const auto is_letter = [&](std::size_t at) {
            return at < plain.size() && std::isalnum(static_cast<unsigned char>(plain[at])) != 0;
        };
        // An underscore inside a word has no meaning in Markdown.
        const bool marks_words =
            plain[i] == '_' && !(i > 0 && is_letter(i - 1) && is_letter(i + 1));
        const bool begins_list =
            i == 0 && (plain[i] == '-' || plain[i] == '+' || plain[i] == '=') && !is_letter(i + 1);
        if (marks_words || begins_list || marks.find(plain[i]) != std::string_view::npos)
            safe += '\\';
        safe += plain[i];
    }
    return safe;
}

std::string without_controls(std::string_view text)
{
    std::string safe;
    for (const char letter : text) {
        const auto code = static_cast<unsigned char>(letter);
        if (code < 0x20 && letter != '\n' && letter != '\t' && letter != '\r')
            safe += "\xef\xbf\xbd";
        else
            safe += letter;
    }
    return safe;
}

std::string base64(std::string_view bytes)
{
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::string_view group = bytes.substr(i, 3);
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (k < group.size() ? static_cast<std::uint8_t>(group[k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            text += k <= group.size() ? letters[bits >> (18 - 6 * k) & 63u] : '=';
    }
    return text;
}

} // namespace lanescope::render
