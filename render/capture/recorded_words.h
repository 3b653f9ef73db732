// Records the text drawn over a picture and replays it with another painter, so that a picture's
// words become vectors in a figure.
#pragma once

#include <functional>
#include <vector>

#include "render/gl/fonts.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

// Measures text with the metrics of figures.
class RecordedWords : public Painter {
public:
    using Painter::line;
    void fill(const Box& box, Colour colour) override;
    void line(std::span<const glm::vec2> points, Colour colour, float width_px) override;
    void area(std::span<const glm::vec2> upper, std::span<const glm::vec2> lower,
              Colour colour) override;
    void gradient(const Box& box, std::span<const Colour> colours, bool upright) override;
    void text(glm::vec2 at, std::string_view text, const TextStyle& style) override;
    float text_width(std::string_view text, const TextStyle& style) override;

    void draw_again(Painter& painter) const;

private:
    gl::Fonts fonts_;
    std::vector<std::function<void(Painter&)>> drawn_;
};

} // namespace lanescope::render
