// FreeType faces of the embedded font files.
#include "render/gl/fonts.h"

#include <ft2build.h>
#include FT_FREETYPE_H

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string>

#include "assets/assets.h"
#include "render/gl/error.h"

namespace lanescope::render::gl {
namespace {

void load(FT_Face face, char32_t code_point, FT_Int32 flags)
{
    if (FT_Load_Char(face, code_point, flags) != 0)
        throw GlError(fmt::format("The embedded font cannot draw U+{:04X}.",
                                  static_cast<std::uint32_t>(code_point)));
}

} // namespace

std::string_view font_file(Font font)
{
    constexpr std::array<std::string_view, 3> stems{"fonts/Inter-Regular.", "fonts/Inter-Bold.",
                                                    "fonts/JetBrainsMono-Regular."};
    const std::string_view stem = stems[static_cast<std::size_t>(font)];
    for (const assets::File& file : assets::files())
        if (file.path.starts_with(stem)) return file.bytes;
    throw GlError(fmt::format("The font {} is not in this build.", stem), "Rebuild Lanescope.");
}

std::vector<char32_t> code_points(std::string_view utf8)
{
    constexpr char32_t damaged = 0xfffd;
    std::vector<char32_t> points;
    for (std::size_t i = 0; i < utf8.size();) {
        const auto first = static_cast<std::uint8_t>(utf8[i++]);
        const int more = first < 0x80    ? 0
                         : first >= 0xf0 ? 3
                         : first >= 0xe0 ? 2
                         : first >= 0xc0 ? 1
                                         : -1;
        char32_t point = more <= 0 ? first : first & (0x3fu >> more);
        bool whole = more >= 0;
        for (int k = 0; k < more && whole; ++k) {
            whole = i < utf8.size() && (static_cast<std::uint8_t>(utf8[i]) & 0xc0u) == 0x80u;
            if (whole) point = point << 6 | (static_cast<std::uint8_t>(utf8[i++]) & 0x3fu);
        }
        points.push_back(whole ? point : damaged);
    }
    return points;
}

std::string utf8(char32_t code_point)
{
    const auto point = static_cast<std::uint32_t>(code_point);
    const int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    if (more == 0) return {static_cast<char>(point)};
    std::string bytes{static_cast<char>((0xf0u << (3 - more) & 0xffu) | point >> (6 * more))};
    for (int i = more - 1; i >= 0; --i)
        bytes += static_cast<char>(0x80u | (point >> (6 * i) & 0x3fu));
    return bytes;
}

struct Fonts::Faces {
    FT_Library library = nullptr;
    std::array<FT_Face, 3> faces{};

    Faces()
    {
        if (FT_Init_FreeType(&library) != 0) throw GlError("FreeType failed to start.");
        for (const Font font : {Font::regular, Font::bold, Font::code}) {
            const auto bytes = font_file(font);
            const auto status = FT_New_Memory_Face(
                library, reinterpret_cast<const FT_Byte*>(bytes.data()),
                static_cast<FT_Long>(bytes.size()), 0, &faces[static_cast<std::size_t>(font)]);
            if (status != 0)
                throw GlError("FreeType cannot read the embedded font.", "Rebuild Lanescope.");
        }
    }
    Faces(const Faces&) = delete;
    Faces& operator=(const Faces&) = delete;
    ~Faces() { FT_Done_FreeType(library); } // frees the faces as well
    FT_Face of(Font font) const { return faces[static_cast<std::size_t>(font)]; }
};

Fonts::Fonts() : faces_(std::make_unique<Faces>()) {}
Fonts::~Fonts() = default;

Letter Fonts::letter(Font font, int size_px, char32_t code_point) const
{
    FT_Face face = faces_->of(font);
    FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(size_px));
    load(face, code_point, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT);
    const FT_GlyphSlot slot = face->glyph;
    Letter letter;
    letter.size = {static_cast<int>(slot->bitmap.width), static_cast<int>(slot->bitmap.rows)};
    letter.offset = {slot->bitmap_left, slot->bitmap_top};
    letter.advance = static_cast<float>(slot->linearHoriAdvance) / 65536.0f;
    for (int row = 0; row < letter.size.y; ++row) {
        const std::uint8_t* from =
            slot->bitmap.buffer + static_cast<std::ptrdiff_t>(row) * slot->bitmap.pitch;
        letter.coverage.insert(letter.coverage.end(), from, from + letter.size.x);
    }
    return letter;
}

float Fonts::advance(Font font, float size_px, char32_t code_point) const
{
    FT_Face face = faces_->of(font);
    load(face, code_point, FT_LOAD_NO_SCALE);
    return static_cast<float>(face->glyph->metrics.horiAdvance) * size_px /
           static_cast<float>(face->units_per_EM);
}

float Fonts::width(Font font, float size_px, std::string_view utf8) const
{
    float width = 0;
    for (const char32_t code_point : code_points(utf8)) width += advance(font, size_px, code_point);
    return width;
}

} // namespace lanescope::render::gl
