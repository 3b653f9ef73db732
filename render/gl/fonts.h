// The embedded fonts, through FreeType: rasterised letters and their widths. Needs no OpenGL.
#pragma once

#include <glm/vec2.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::render::gl {

enum class Font { regular, bold, code };

// Decodes UTF-8; an invalid byte becomes U+FFFD.
std::vector<char32_t> code_points(std::string_view utf8);
// Encodes one code point.
std::string utf8(char32_t code_point);

// Coverage of a rasterised letter, top row first.
struct Letter {
    glm::ivec2 size{};
    glm::ivec2 offset{}; // from the pen position on the baseline to the upper left, y up
    float advance = 0;
    std::vector<std::uint8_t> coverage;
};

// Contents of the font file, TrueType or OpenType.
std::string_view font_file(Font font);

class Fonts {
public:
    Fonts();
    ~Fonts();
    Fonts(const Fonts&) = delete;
    Fonts& operator=(const Fonts&) = delete;

    // Rasterises at an integer size in pixels.
    Letter letter(Font font, int size_px, char32_t code_point) const;
    float advance(Font font, float size_px, char32_t code_point) const;
    float width(Font font, float size_px, std::string_view utf8) const;

private:
    struct Faces;
    std::unique_ptr<Faces> faces_;
};

} // namespace lanescope::render::gl
