// Letters as a texture: FreeType draws each glyph of the embedded fonts once per size, when it is first wanted.
#pragma once

#include <glm/vec2.hpp>

#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "render/gl/objects.h"

namespace lanescope::render::gl {

enum class Font { regular, bold };

// The code points of UTF-8 text; a damaged byte becomes U+FFFD.
std::vector<char32_t> code_points(std::string_view utf8);

class Glyphs {
public:
    struct Glyph {
        glm::ivec2 texel{};  // lower corner in the atlas
        glm::ivec2 size{};   // in pixels
        glm::ivec2 offset{}; // from the pen on the baseline to the upper left, y up
        float advance = 0;
    };

    Glyphs();
    ~Glyphs();
    Glyphs(const Glyphs&) = delete;
    Glyphs& operator=(const Glyphs&) = delete;

    // `size_px` is a whole number of pixels: letters are sharp at it, not scaled.
    const Glyph& glyph(Font font, int size_px, char32_t code_point);
    float width(Font font, int size_px, std::string_view utf8);
    // One texel is always full coverage, for shapes without texture.
    glm::ivec2 full_texel() const { return {0, 0}; }
    const Texture& texture() const { return texture_; }

private:
    struct Faces;
    struct Key {
        Font font;
        int size_px;
        char32_t code_point;
        auto operator<=>(const Key&) const = default;
    };
    glm::ivec2 reserve(int width, int height);

    std::unique_ptr<Faces> faces_;
    Texture texture_;
    std::map<Key, Glyph> glyphs_;
    glm::ivec2 pen_{2, 0};
    int row_height_ = 2;
};

} // namespace lanescope::render::gl
