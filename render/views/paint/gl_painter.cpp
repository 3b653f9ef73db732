// Triangles for fills, lines and letters, in drawing order.
#include "render/views/paint/gl_painter.h"

#include <glm/geometric.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "render/views/paint/text_font.h"

namespace lanescope::render {
namespace {

constexpr std::size_t first_vertices = 6 * 1024;

int whole_size(const TextStyle& style)
{
    return std::max(6, static_cast<int>(std::lround(style.size_px)));
}

Colour mix(Colour a, Colour b, float t)
{
    const auto channel = [t](std::uint8_t from, std::uint8_t to) {
        return static_cast<std::uint8_t>(std::lround(from + (to - from) * t));
    };
    return {channel(a.red, b.red), channel(a.green, b.green), channel(a.blue, b.blue),
            channel(a.alpha, b.alpha)};
}

} // namespace

GlPainter::GlPainter()
    : program_("shaders/painter.vert", "shaders/painter.frag"),
      buffer_(first_vertices * sizeof(Vertex))
{
    const GLuint array = array_.id();
    const auto attribute = [array](GLuint index, GLint count, GLenum type, GLboolean normalized,
                                   std::size_t offset) {
        glEnableVertexArrayAttrib(array, index);
        glVertexArrayAttribFormat(array, index, count, type, normalized,
                                  static_cast<GLuint>(offset));
        glVertexArrayAttribBinding(array, index, 0);
    };
    attribute(0, 2, GL_FLOAT, GL_FALSE, offsetof(Vertex, position));
    attribute(1, 2, GL_FLOAT, GL_FALSE, offsetof(Vertex, texel));
    attribute(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(Vertex, colour));
}

void GlPainter::quad(const std::array<glm::vec2, 4>& corners, const std::array<Colour, 4>& colours)
{
    const glm::vec2 full = glm::vec2(glyphs_.full_texel()) + 0.5f;
    for (const std::size_t i : {0u, 1u, 2u, 2u, 1u, 3u})
        vertices_.push_back({corners[i], full, colours[i]});
}

void GlPainter::fill(const Box& box, Colour colour)
{
    quad({{{box.x, box.y},
           {box.right(), box.y},
           {box.x, box.bottom()},
           {box.right(), box.bottom()}}},
         {colour, colour, colour, colour});
}

void GlPainter::line(std::span<const glm::vec2> points, Colour colour, float width_px)
{
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const glm::vec2 along = points[i + 1] - points[i];
        const float length = glm::length(along);
        if (!(length > 0)) continue;
        const glm::vec2 half = along / length * (width_px / 2);
        const glm::vec2 across{-half.y, half.x};
        // Segments overlap slightly at inner joints, so that corners close.
        const glm::vec2 from = i == 0 ? points[i] : points[i] - half;
        const glm::vec2 to = i + 2 == points.size() ? points[i + 1] : points[i + 1] + half;
        quad({from - across, from + across, to - across, to + across},
             {colour, colour, colour, colour});
    }
}

void GlPainter::area(std::span<const glm::vec2> upper, std::span<const glm::vec2> lower,
                     Colour colour)
{
    for (std::size_t i = 0; i + 1 < upper.size(); ++i)
        quad({upper[i], upper[i + 1], lower[i], lower[i + 1]}, {colour, colour, colour, colour});
}

void GlPainter::gradient(const Box& box, std::span<const Colour> colours, bool upright)
{
    const float length = upright ? box.height : box.width;
    // One strip per pixel shows as many colours as possible.
    const int strips = std::max(1, static_cast<int>(std::lround(length)));
    for (int i = 0; i < strips; ++i) {
        const float place = static_cast<float>(i) / static_cast<float>(std::max(strips - 1, 1)) *
                            static_cast<float>(colours.size() - 1);
        const auto index = std::min(static_cast<std::size_t>(place), colours.size() - 1);
        const Colour colour = mix(colours[index], colours[std::min(index + 1, colours.size() - 1)],
                                  place - static_cast<float>(index));
        const float size = length / static_cast<float>(strips);
        const float offset = static_cast<float>(i) * size;
        if (upright)
            fill({box.x, box.bottom() - offset - size, box.width, size}, colour);
        else
            fill({box.x + offset, box.y, size, box.height}, colour);
    }
}

float GlPainter::text_width(std::string_view text, const TextStyle& style)
{
    return glyphs_.width(font_of(style), whole_size(style), text);
}

void GlPainter::text(glm::vec2 at, std::string_view text, const TextStyle& style)
{
    if (style.align != Align::left)
        at.x -= text_width(text, style) * (style.align == Align::centre ? 0.5f : 1.0f);
    glm::vec2 pen = glm::floor(at + 0.5f);
    for (const char32_t code_point : gl::code_points(text)) {
        const auto& glyph = glyphs_.glyph(font_of(style), whole_size(style), code_point);
        const glm::vec2 size(glyph.size);
        const glm::vec2 upper_left{std::floor(pen.x + 0.5f) + static_cast<float>(glyph.offset.x),
                                   pen.y - static_cast<float>(glyph.offset.y)};
        const glm::vec2 texel(glyph.texel);
        for (const auto corner :
             std::array<glm::vec2, 6>{{{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}}})
            vertices_.push_back({upper_left + corner * size, texel + corner * size, style.colour});
        pen.x += glyph.advance;
    }
}

void GlPainter::flush(const PixelRect& viewport)
{
    if (vertices_.empty()) return;
    const std::size_t bytes = vertices_.size() * sizeof(Vertex);
    if (buffer_.bytes() < bytes) buffer_ = gl::Buffer(2 * bytes);
    buffer_.upload(std::as_bytes(std::span(vertices_)));
    glVertexArrayVertexBuffer(array_.id(), 0, buffer_.id(), 0, sizeof(Vertex));

    glViewport(viewport.x, viewport.y, viewport.width, viewport.height);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glBindTextureUnit(0, glyphs_.texture().id());
    program_.set("letters", 0);
    program_.set("size_px", glm::vec2(viewport.width, viewport.height));
    program_.use();
    array_.bind();
    glDrawArrays(GL_TRIANGLES, 0, static_cast<GLsizei>(vertices_.size()));
    glDisable(GL_BLEND);
    gl::check();
    vertices_.clear();
}

} // namespace lanescope::render
