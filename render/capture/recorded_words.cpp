// Stores each call with copies of its arguments.
#include "render/capture/recorded_words.h"

#include <string>

#include "render/views/paint/text_font.h"

namespace lanescope::render {

void RecordedWords::fill(const Box& box, Colour colour)
{
    drawn_.emplace_back([=](Painter& to) { to.fill(box, colour); });
}

void RecordedWords::line(std::span<const glm::vec2> points, Colour colour, float width_px)
{
    drawn_.emplace_back([kept = std::vector(points.begin(), points.end()), colour,
                         width_px](Painter& to) { to.line(kept, colour, width_px); });
}

void RecordedWords::area(std::span<const glm::vec2> upper, std::span<const glm::vec2> lower,
                         Colour colour)
{
    drawn_.emplace_back([above = std::vector(upper.begin(), upper.end()),
                         below = std::vector(lower.begin(), lower.end()),
                         colour](Painter& to) { to.area(above, below, colour); });
}

void RecordedWords::gradient(const Box& box, std::span<const Colour> colours, bool upright)
{
    drawn_.emplace_back([=, kept = std::vector(colours.begin(), colours.end())](Painter& to) {
        to.gradient(box, kept, upright);
    });
}

void RecordedWords::text(glm::vec2 at, std::string_view text, const TextStyle& style)
{
    drawn_.emplace_back([=, kept = std::string(text)](Painter& to) { to.text(at, kept, style); });
}

float RecordedWords::text_width(std::string_view text, const TextStyle& style)
{
    return fonts_.width(font_of(style), style.size_px, text);
}

void RecordedWords::draw_again(Painter& painter) const
{
    for (const auto& call : drawn_) call(painter);
}

} // namespace lanescope::render
