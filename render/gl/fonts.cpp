// FreeType faces over the embedded font files.
#include "render/gl/fonts.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string>

#include "assets/assets.h"
#include "render/gl/error.h"

namespace lanescope::render::gl {
namespace {

std::string_view font_file(Font font)
{
    constexpr std::array<std::string_view, 3> stems{"fonts/Inter-Regular.", "fonts/Inter-Bold.",
                                                    "fonts/JetBrainsMono-Regular."};
    const std::string_view stem = stems[static_cast<std::size_t>(font)];
    for (const assets::File& file : assets::files())
        if (file.path.starts_with(stem)) return file.bytes;
    throw GlError(fmt::format("The font {} is not in this build.", stem), "Build Lanescope again.");
}

// What FT_Outline_Decompose hands through: font units to pixels, and where they go.
struct Decomposition {
    const OutlineSink& sink;
    float scale;
    glm::vec2 pen{};
    bool open = false;

    glm::vec2 at(const FT_Vector* point) const
    {
        return glm::vec2(static_cast<float>(point->x), static_cast<float>(point->y)) * scale;
    }
};

Decomposition& state(void* user)
{
    return *static_cast<Decomposition*>(user);
}

int move_to(const FT_Vector* to, void* user)
{
    auto& drawing = state(user);
    if (drawing.open) drawing.sink.close();
    drawing.open = true;
    drawing.pen = drawing.at(to);
    drawing.sink.move_to(drawing.pen);
    return 0;
}

int line_to(const FT_Vector* to, void* user)
{
    auto& drawing = state(user);
    drawing.pen = drawing.at(to);
    drawing.sink.line_to(drawing.pen);
    return 0;
}

int conic_to(const FT_Vector* control, const FT_Vector* to, void* user)
{
    auto& drawing = state(user);
    const glm::vec2 middle = drawing.at(control), end = drawing.at(to);
    drawing.sink.curve_to(drawing.pen + (middle - drawing.pen) * (2.0f / 3),
                          end + (middle - end) * (2.0f / 3), end);
    drawing.pen = end;
    return 0;
}

int cubic_to(const FT_Vector* first, const FT_Vector* second, const FT_Vector* to, void* user)
{
    auto& drawing = state(user);
    drawing.pen = drawing.at(to);
    drawing.sink.curve_to(drawing.at(first), drawing.at(second), drawing.pen);
    return 0;
}

void load(FT_Face face, char32_t code_point, FT_Int32 flags)
{
    if (FT_Load_Char(face, code_point, flags) != 0)
        throw GlError(fmt::format("The embedded font cannot draw U+{:04X}.",
                                  static_cast<std::uint32_t>(code_point)));
}

} // namespace

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

struct Fonts::Faces {
    FT_Library library = nullptr;
    std::array<FT_Face, 3> faces{};

    Faces()
    {
        if (FT_Init_FreeType(&library) != 0) throw GlError("FreeType cannot start.");
        for (const Font font : {Font::regular, Font::bold, Font::code}) {
            const auto bytes = font_file(font);
            const auto status = FT_New_Memory_Face(
                library, reinterpret_cast<const FT_Byte*>(bytes.data()),
                static_cast<FT_Long>(bytes.size()), 0, &faces[static_cast<std::size_t>(font)]);
            if (status != 0)
                throw GlError("FreeType cannot read the embedded font.", "Build Lanescope again.");
        }
    }
    Faces(const Faces&) = delete;
    Faces& operator=(const Faces&) = delete;
    ~Faces() { FT_Done_FreeType(library); } // and the faces with it
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

void Fonts::outline(Font font, float size_px, char32_t code_point, const OutlineSink& sink) const
{
    FT_Face face = faces_->of(font);
    load(face, code_point, FT_LOAD_NO_SCALE);
    const FT_Outline_Funcs functions{move_to, line_to, conic_to, cubic_to, 0, 0};
    Decomposition drawing{sink, size_px / static_cast<float>(face->units_per_EM), {}, false};
    FT_Outline_Decompose(&face->glyph->outline, &functions, &drawing);
    if (drawing.open) sink.close();
}

} // namespace lanescope::render::gl
