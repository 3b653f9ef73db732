// String splitting and escaping.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

// Strips white space from both ends.
inline std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
        text.remove_suffix(1);
    return text;
}

// Lower-case copy; bytes outside ASCII stay.
inline std::string lower_case(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

// Splits at separators, dropping empty parts.
inline std::vector<std::string_view> parts(std::string_view text, char separator)
{
    std::vector<std::string_view> found;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0) found.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return found;
}

// Shortens a text for use in a sentence: keeps at most `max_bytes` bytes, in whole characters, and
// appends an ellipsis if the text was longer.
inline std::string shortened(std::string_view text, std::size_t max_bytes)
{
    if (text.size() <= max_bytes) return std::string(text);
    std::size_t end = max_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
    return std::string(text.substr(0, end)) + "…";
}

// Escapes external text for a terminal: control characters, which could move the cursor or change
// colours, become "\x1b"; tabs and newlines stay.
inline std::string printable(std::string_view text)
{
    std::string shown;
    const auto show = [&shown](unsigned char one) {
        constexpr std::string_view digits = "0123456789abcdef";
        shown += "\\x";
        shown += digits[one >> 4];
        shown += digits[one & 15];
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto one = static_cast<unsigned char>(text[i]);
        const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
        if ((one < 0x20 && one != '\n' && one != '\t') || one == 0x7f)
            show(one);
        else if (one == 0xc2 && next >= 0x80 && next < 0xa0) // 8-bit control characters, in UTF-8
            show(next), ++i;
        else
            shown += text[i];
    }
    return shown;
}

} // namespace lanescope
