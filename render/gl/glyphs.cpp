// Glyph atlas: rows of letters in one texture, filled on demand.
#include "render/gl/glyphs.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lanescope::render::gl {
namespace {

constexpr int atlas_side = 2048;

} // namespace

Glyphs::Glyphs() : texture_(GL_R8, atlas_side, atlas_side)
{
    constexpr std::array<std::uint8_t, 4> full{255, 255, 255, 255};
    const std::uint8_t nothing = 0;
    glClearTexImage(texture_.id(), 0, GL_RED, GL_UNSIGNED_BYTE, &nothing);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(texture_.id(), 0, 0, 0, 2, 2, GL_RED, GL_UNSIGNED_BYTE, full.data());
    check();
}

glm::ivec2 Glyphs::reserve(glm::ivec2 size)
{
    if (pen_.x + size.x > atlas_side) {
        pen_ = {0, pen_.y + row_height_ + 1};
        row_height_ = 0;
    }
    if (pen_.y + size.y > atlas_side) {
        // The atlas is full, which takes many text sizes: starts over. Glyphs that painters have
        // already collected are wrong for one frame.
        glyphs_.clear();
        pen_ = {3, 0};
        row_height_ = 2;
    }
    const glm::ivec2 place = pen_;
    pen_.x += size.x + 1;
    row_height_ = std::max(row_height_, size.y);
    return place;
}

const Glyphs::Glyph& Glyphs::glyph(Font font, int size_px, char32_t code_point)
{
    const Key key{font, size_px, code_point};
    if (const auto found = glyphs_.find(key); found != glyphs_.end()) return found->second;
    const Letter letter = fonts_.letter(font, size_px, code_point);
    Glyph glyph{{}, letter.size, letter.offset, letter.advance};
    if (!letter.coverage.empty()) {
        glyph.texel = reserve(letter.size);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glTextureSubImage2D(texture_.id(), 0, glyph.texel.x, glyph.texel.y, glyph.size.x,
                            glyph.size.y, GL_RED, GL_UNSIGNED_BYTE, letter.coverage.data());
        check();
    }
    return glyphs_.emplace(key, glyph).first->second;
}

float Glyphs::width(Font font, int size_px, std::string_view utf8)
{
    float width = 0;
    for (const char32_t code_point : code_points(utf8))
        width += glyph(font, size_px, code_point).advance;
    return width;
}

} // namespace lanescope::render::gl
