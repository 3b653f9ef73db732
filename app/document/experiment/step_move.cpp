// Parses positions by name; any other text is left to the debugger, which evaluates expressions.
#include "app/document/experiment/step_move.h"

#include <array>
#include <charconv>

#include "app/document/look/look.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

std::optional<std::int64_t> parse_integer(std::string_view text)
{
    std::string digits;
    for (const char c : text)
        if (c != ',') digits += c; // positions are displayed as 1,204
    std::int64_t value = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, value);
    if (error != std::errc() || end != last || value < 0) return {};
    return value;
}

} // namespace

StepMove first_of_line(const StepChoice& step)
{
    StepMove move{.kind = StepMove::Kind::to_line, .count = step.to_line};
    if (step.warp >= 0) move.warp = step.warp;
    return move;
}

StepMove move_to(std::string_view text, bool back)
{
    using Kind = StepMove::Kind;
    struct Place {
        std::string_view word;
        Kind kind;
    };
    constexpr std::array places{
        Place{"block", Kind::to_block}, Place{"warp", Kind::to_warp},
        Place{"line", Kind::to_line},   Place{"instruction", Kind::position},
        Place{"launch", Kind::launch},  Place{"", Kind::position}};
    text = trimmed(text);
    for (const Place& place : places)
        if (text.starts_with(place.word))
            if (const auto number = parse_integer(trimmed(text.substr(place.word.size()))))
                return {.kind = place.kind, .back = back, .count = *number};
    return {.kind = Kind::condition, .back = back, .text = std::string(text)};
}

} // namespace lanescope::app
