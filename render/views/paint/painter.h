// Two-dimensional drawing for screen, SVG and PDF alike. Coordinates are pixels from the upper
// left, y down.
#pragma once

#include <glm/vec2.hpp>

#include <span>
#include <string_view>

#include "render/views/paint/pixels.h"
#include "render/views/paint/theme.h"

namespace lanescope::render {

struct Box {
    float x = 0;
    float y = 0;
    float width = 0;
    float height = 0;

    float right() const { return x + width; }
    float bottom() const { return y + height; }
};

enum class Align { left, centre, right };

struct TextStyle {
    float size_px = 16; // em size
    Colour colour;
    bool bold = false;
    Align align = Align::left;
    bool code = false; // monospaced font, not bold; spaces are preserved
};

class Painter {
public:
    virtual ~Painter() = default;
    virtual void fill(const Box& box, Colour colour) = 0;
    virtual void line(std::span<const glm::vec2> points, Colour colour, float width_px) = 0;
    // Fills the area between two lines with equal numbers of points, both from left to right.
    virtual void area(std::span<const glm::vec2> upper, std::span<const glm::vec2> lower,
                      Colour colour) = 0;
    // From `colours.front()` at the left (bottom if upright) to `colours.back()`.
    virtual void gradient(const Box& box, std::span<const Colour> colours, bool upright) = 0;
    // `at` is on the baseline; UTF-8.
    virtual void text(glm::vec2 at, std::string_view text, const TextStyle& style) = 0;
    virtual float text_width(std::string_view text, const TextStyle& style) = 0;

    void line(glm::vec2 from, glm::vec2 to, Colour colour, float width_px);
    void outline(const Box& box, Colour colour, float width_px);
    // Both diagonals.
    void cross_out(const Box& box, Colour colour, float width_px);
    // Diagonal lines from the lower left to the upper right, clipped to the box.
    void hatch(const Box& box, Colour colour, float spacing_px, float width_px);
};

} // namespace lanescope::render
