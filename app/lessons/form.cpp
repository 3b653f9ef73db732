// Parses lines, and text with formulas.
#include "app/lessons/form.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "compute/error.h"
#include "compute/numbers.h"
#include "compute/text.h"

namespace lanescope::app {

std::vector<std::string> columns_of(std::string_view text)
{
    std::vector<std::string> columns;
    for (;;) {
        const std::size_t bar = text.find(" | ");
        columns.emplace_back(trimmed(text.substr(0, bar)));
        if (bar == std::string_view::npos) return columns;
        text.remove_prefix(bar + 3);
    }
}

FormText::FormText(std::string name, std::string_view text) : name_(std::move(name))
{
    if (text.size() > max_bytes) refuse(1, "The text is larger than 1 MB.");
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3); // byte order mark, which some
                               // editors write
    int number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::string_view words = trimmed(line);
        if (words.empty() || line.front() == '#') continue;
        if (words.find('\0') != std::string_view::npos) refuse(number, "This is not text.");
        if (std::isspace(static_cast<unsigned char>(line.front()))) {
            if (lines_.empty())
                refuse(number, "The line starts with a blank, but there is no line to continue.");
            lines_.back().value += (lines_.back().value.empty() ? "" : " ") + std::string(words);
            continue;
        }
        const std::size_t colon = words.find(':');
        const std::string_view key = words.substr(0, std::min(colon, words.size()));
        if (colon == std::string_view::npos || key.find(' ') != std::string_view::npos)
            refuse(number, fmt::format("\"{}\" is not written as \"key: value\".", words));
        lines_.push_back({std::string(key), std::string(trimmed(words.substr(colon + 1))), number});
    }
}

void FormText::refuse(int line, const std::string& problem) const
{
    constexpr std::size_t max_bytes = 4000; // bytes: a message may list every known name
    throw Error(ExitStatus::bad_usage,
                fmt::format("{}, line {}: {}", name_, line, shortened(problem, max_bytes)));
}

void FormText::read(const FormLine& line, const std::function<void()>& reader) const
{
    try {
        reader();
    } catch (const Error& error) {
        refuse(line.line, error.what());
    }
}

std::string Words::filled(const std::function<const Answer*(const Formula&)>& find) const
{
    std::string text;
    for (const Piece& piece : pieces) {
        text += piece.text;
        if (piece.formula.empty()) continue;
        const Answer* const answer = find(piece.formula);
        text += answer ? number_text(answer->value) : "…";
    }
    return text;
}

Words read_words(std::string_view text, const FindNamed& find)
{
    Words words;
    while (!text.empty()) {
        const std::size_t open = text.find('{');
        if (open == std::string_view::npos) {
            words.pieces.push_back({std::string(text), {}});
            break;
        }
        const std::size_t close = text.find('}', open);
        if (close == std::string_view::npos)
            throw Error(ExitStatus::bad_usage, "A \"{\" has no \"}\".",
                        "Put a formula between them.");
        words.pieces.push_back({std::string(text.substr(0, open)),
                                Formula(text.substr(open + 1, close - open - 1), find)});
        text.remove_prefix(close + 1);
    }
    return words;
}

std::string number_text(double value)
{
    constexpr double exact = 1e15;
    constexpr double max_grouped = 1e18; // limit for grouping digits
    const double nearest = std::round(value);
    if (!(std::abs(value) < max_grouped)) return significant(value); // also infinity and NaN
    if (std::abs(value) < exact && std::abs(value - nearest) < 1e-9 * std::max(1.0, nearest)) {
        const std::string digits = grouped(static_cast<std::uint64_t>(std::abs(nearest)));
        return nearest < 0 ? "−" + digits : digits;
    }
    if (std::abs(value) >= 1000) // decimals of large numbers are noise
        return (value < 0 ? "−" : "") + grouped(static_cast<std::uint64_t>(std::abs(nearest)));
    // "0.8", "12.5" and "3.125" instead of "0.800", "12.50" and "3.12"; "1.00" of a measurement
    // keeps its precision.
    constexpr int max_digits = 6;
    const bool is_exact = std::abs(1000 * value - std::round(1000 * value)) < 1e-9;
    std::string text = significant(value, is_exact ? max_digits : std::abs(value) < 10 ? 3 : 4);
    if ((std::abs(value) < 1 || is_exact) && text.find('.') != std::string::npos &&
        text.find('e') == std::string::npos)
        text.erase(text.find_last_not_of('0') + 1);
    return text;
}

std::string unit_of(double value, const std::string& unit)
{
    const std::size_t end = std::min(unit.find(' '), unit.size());
    const bool is_plural = end > 1 && unit[end - 1] == 's' && !unit.starts_with("times");
    return value == 1 && is_plural ? unit.substr(0, end - 1) + unit.substr(end) : unit;
}

} // namespace lanescope::app
