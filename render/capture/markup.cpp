// Escapes the four special characters of markup, and encodes base64.
#include "render/capture/markup.h"

#include <cstdint>

namespace lanescope::render {

std::string escape(std::string_view text)
{
    std::string safe;
    for (const char letter : text) {
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
