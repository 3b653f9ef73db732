// Letters in a texture, rasterised once per size on first use.
#pragma once

#include <glm/vec2.hpp>

#include <map>
#include <string_view>

#include "render/gl/fonts.h"
#include "render/gl/objects.h"

namespace lanescope::render::gl {

class Glyphs {
public:
    struct Glyph {
        glm::ivec2 texel{};  // position in the texture
        glm::ivec2 size{};   // in pixels
        glm::ivec2 offset{}; // from the pen position on the baseline to the upper left, y up
        float advance = 0;
    };

    Glyphs();

    // `size_px` is an integer: letters are rasterised at that size, not scaled.
    const Glyph& glyph(Font font, int size_px, char32_t code_point);
    float width(Font font, int size_px, std::string_view utf8);
    // A texel with full coverage, for drawing shapes.
    glm::ivec2 full_texel() const { return {0, 0}; }
    const Texture& texture() const { return texture_; }

private:
    struct Key {
        Font font;
        int size_px;
        char32_t code_point;
        auto operator<=>(const Key&) const = default;
    };
    glm::ivec2 reserve(glm::ivec2 size);

    Fonts fonts_;
    Texture texture_;
    std::map<Key, Glyph> glyphs_;
    glm::ivec2 pen_{3, 0};
    int row_height_ = 2;
};

} // namespace lanescope::render::gl
