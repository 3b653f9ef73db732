// The Painter for screens and offscreen pictures: collects triangles and draws them in one call.
#pragma once

#include <glm/vec2.hpp>

#include <vector>

#include "render/gl/glyphs.h"
#include "render/gl/objects.h"
#include "render/gl/program.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

class GlPainter : public Painter {
public:
    GlPainter();

    using Painter::line;
    void fill(const Box& box, Colour colour) override;
    void line(std::span<const glm::vec2> points, Colour colour, float width_px) override;
    void area(std::span<const glm::vec2> upper, std::span<const glm::vec2> lower,
              Colour colour) override;
    void gradient(const Box& box, std::span<const Colour> colours, bool upright) override;
    void text(glm::vec2 at, std::string_view text, const TextStyle& style) override;
    float text_width(std::string_view text, const TextStyle& style) override;

    // Draws the collected triangles over the current contents into `viewport`, whose upper left
    // corner is the painter's (0, 0).
    void flush(const PixelRect& viewport);

private:
    struct Vertex {
        glm::vec2 position;
        glm::vec2 texel;
        Colour colour;
    };
    void quad(const std::array<glm::vec2, 4>& corners, const std::array<Colour, 4>& colours);

    gl::Glyphs glyphs_;
    gl::Program program_;
    gl::VertexArray array_;
    gl::Buffer buffer_;
    std::vector<Vertex> vertices_;
};

} // namespace lanescope::render
