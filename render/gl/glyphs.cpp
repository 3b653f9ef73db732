#include "render/gl/glyphs.h"

#include <ft2build.h>
#include FT_FREETYPE_H

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "assets/assets.h"

namespace lanescope::render::gl {
namespace {

constexpr int atlas_side = 2048;

std::string_view font_file(Font font)
{
    const std::string_view stem = font == Font::bold ? "fonts/Inter-Bold." : "fonts/Inter-Regular.";
    for (const assets::File& file : assets::files())
        if (file.path.starts_with(stem)) return file.bytes;
    throw GlError(fmt::format("The font {} is not in this build.", stem), "Build Lanescope again.");
}

} // namespace

std::vector<char32_t> code_points(std::string_view utf8)
{
    constexpr char32_t damaged = 0xfffd;
    std::vector<char32_t> points;
    for (std::size_t i = 0; i < utf8.size();) {
        const auto first = static_cast<std::uint8_t>(utf8[i++]);
        const int more = first < 0x80 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : -1;
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

struct Glyphs::Faces {
    FT_Library library = nullptr;
    std::array<FT_Face, 2> faces{};

    Faces()
    {
        if (FT_Init_FreeType(&library) != 0) throw GlError("FreeType cannot start.");
        for (const Font font : {Font::regular, Font::bold}) {
            const auto bytes = font_file(font);
            const auto status = FT_New_Memory_Face(library, reinterpret_cast<const FT_Byte*>(bytes.data()),
                                                   static_cast<FT_Long>(bytes.size()), 0,
                                                   &faces[static_cast<std::size_t>(font)]);
            if (status != 0) throw GlError("FreeType cannot read the embedded font.", "Build Lanescope again.");
        }
    }
    Faces(const Faces&) = delete;
    Faces& operator=(const Faces&) = delete;
    ~Faces() { FT_Done_FreeType(library); } // and the faces with it
};

Glyphs::Glyphs() : faces_(std::make_unique<Faces>()), texture_(GL_R8, atlas_side, atlas_side)
{
    constexpr std::array<std::uint8_t, 4> full{255, 255, 255, 255};
    const std::uint8_t nothing = 0;
    glClearTexImage(texture_.id(), 0, GL_RED, GL_UNSIGNED_BYTE, &nothing);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(texture_.id(), 0, 0, 0, 2, 2, GL_RED, GL_UNSIGNED_BYTE, full.data());
    check();
}

Glyphs::~Glyphs() = default;

glm::ivec2 Glyphs::reserve(int width, int height)
{
    if (pen_.x + width > atlas_side) {
        pen_ = {0, pen_.y + row_height_ + 1};
        row_height_ = 0;
    }
    if (pen_.y + height > atlas_side) {
        // Full after many sizes: begin anew. What a painter has gathered with old glyphs is wrong for one frame.
        glyphs_.clear();
        pen_ = {3, 0};
        row_height_ = 2;
    }
    const glm::ivec2 place = pen_;
    pen_.x += width + 1;
    row_height_ = std::max(row_height_, height);
    return place;
}

const Glyphs::Glyph& Glyphs::glyph(Font font, int size_px, char32_t code_point)
{
    const Key key{font, size_px, code_point};
    if (const auto found = glyphs_.find(key); found != glyphs_.end()) return found->second;

    FT_Face face = faces_->faces[static_cast<std::size_t>(font)];
    FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(size_px));
    if (FT_Load_Char(face, code_point, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT) != 0)
        throw GlError(fmt::format("The embedded font cannot draw U+{:04X}.", static_cast<std::uint32_t>(code_point)));
    const FT_GlyphSlot slot = face->glyph;
    Glyph glyph;
    glyph.size = {static_cast<int>(slot->bitmap.width), static_cast<int>(slot->bitmap.rows)};
    glyph.offset = {slot->bitmap_left, slot->bitmap_top};
    glyph.advance = static_cast<float>(slot->linearHoriAdvance) / 65536.0f;
    if (glyph.size.x > 0 && glyph.size.y > 0) {
        glyph.texel = reserve(glyph.size.x, glyph.size.y);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glPixelStorei(GL_UNPACK_ROW_LENGTH, slot->bitmap.pitch);
        glTextureSubImage2D(texture_.id(), 0, glyph.texel.x, glyph.texel.y, glyph.size.x, glyph.size.y, GL_RED,
                            GL_UNSIGNED_BYTE, slot->bitmap.buffer);
        glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
        check();
    }
    return glyphs_.emplace(key, glyph).first->second;
}

float Glyphs::width(Font font, int size_px, std::string_view utf8)
{
    float width = 0;
    for (const char32_t code_point : code_points(utf8)) width += glyph(font, size_px, code_point).advance;
    return width;
}

} // namespace lanescope::render::gl
