// Single-page PDF through Cairo: paths, pictures, transparency, and text that can be searched and
// copied.
#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include <fmt/format.h>

#include <array>
#include <memory>
#include <vector>

#include "render/capture/figure.h"
#include "render/gl/error.h"
#include "render/gl/fonts.h"
#include "render/views/paint/text_font.h"

namespace lanescope::render {
namespace {

constexpr double points_per_px = 0.75; // Cairo's 72 units per inch instead of 96 pixels

using Library = std::shared_ptr<FT_LibraryRec_>;
using Face = std::unique_ptr<cairo_font_face_t, decltype(&cairo_font_face_destroy)>;

Library start_freetype()
{
    FT_Library library = nullptr;
    if (FT_Init_FreeType(&library) != 0) throw gl::GlError("FreeType failed to start.");
    return {library, FT_Done_FreeType};
}

// Cairo may keep a face alive for any length of time, so its font data is attached to it.
struct Kept {
    Library library;
    FT_Face face = nullptr;
    ~Kept() { FT_Done_Face(face); }
};

void forget(void* kept)
{
    delete static_cast<Kept*>(kept);
}

struct FontFace {
    FT_Face letters = nullptr; // owned by `cairo`
    Face cairo{nullptr, cairo_font_face_destroy};
};

FontFace open_face(const Library& library, gl::Font font)
{
    static constexpr cairo_user_data_key_t key{};
    const std::string_view file = gl::font_file(font);
    auto kept = std::make_unique<Kept>(library);
    if (FT_New_Memory_Face(library.get(), reinterpret_cast<const FT_Byte*>(file.data()),
                           static_cast<FT_Long>(file.size()), 0, &kept->face) != 0)
        throw gl::GlError("FreeType cannot read the embedded font.", "Rebuild Lanescope.");
    FontFace opened{kept->face,
                    Face(cairo_ft_font_face_create_for_ft_face(kept->face, FT_LOAD_NO_HINTING),
                         cairo_font_face_destroy)};
    cairo_font_face_set_user_data(opened.cairo.get(), &key, kept.release(), forget);
    return opened;
}

class Pdf final : public Figure {
public:
    Pdf(float width, float height, Colour background)
        : surface_(cairo_pdf_surface_create_for_stream(append, &file_, width * points_per_px,
                                                       height * points_per_px),
                   cairo_surface_destroy),
          page_(cairo_create(surface_.get()), cairo_destroy)
    {
        const Library library = start_freetype();
        for (const gl::Font font : {gl::Font::regular, gl::Font::bold, gl::Font::code})
            faces_[static_cast<std::size_t>(font)] = open_face(library, font);
        cairo_pdf_surface_restrict_to_version(surface_.get(), CAIRO_PDF_VERSION_1_5);
        // Leaves the creation date out, so that the same drawing gives the same bytes.
        cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
        cairo_scale(page_.get(), points_per_px, points_per_px);
        cairo_set_line_join(page_.get(), CAIRO_LINE_JOIN_ROUND);
        fill({0, 0, width, height}, background);
    }

    using Painter::line;
    void fill(const Box& box, Colour colour) override
    {
        use(colour);
        cairo_rectangle(page_.get(), box.x, box.y, box.width, box.height);
        cairo_fill(page_.get());
    }
    void line(std::span<const glm::vec2> points, Colour colour, float width_px) override
    {
        if (points.size() < 2) return;
        use(colour);
        cairo_set_line_width(page_.get(), width_px);
        for (const glm::vec2 point : points) cairo_line_to(page_.get(), point.x, point.y);
        cairo_stroke(page_.get());
    }
    void area(std::span<const glm::vec2> upper, std::span<const glm::vec2> lower,
              Colour colour) override
    {
        if (upper.empty()) return;
        use(colour);
        for (const glm::vec2 at : upper) cairo_line_to(page_.get(), at.x, at.y);
        for (std::size_t i = lower.size(); i > 0; --i)
            cairo_line_to(page_.get(), lower[i - 1].x, lower[i - 1].y);
        cairo_close_path(page_.get());
        cairo_fill(page_.get());
    }
    void gradient(const Box& box, std::span<const Colour> colours, bool upright) override
    {
        using Pattern = std::unique_ptr<cairo_pattern_t, decltype(&cairo_pattern_destroy)>;
        const Pattern pattern(upright ? cairo_pattern_create_linear(0, box.bottom(), 0, box.y)
                                      : cairo_pattern_create_linear(box.x, 0, box.right(), 0),
                              cairo_pattern_destroy);
        for (std::size_t i = 0; i < colours.size(); ++i)
            cairo_pattern_add_color_stop_rgba(
                pattern.get(), static_cast<double>(i) / static_cast<double>(colours.size() - 1),
                colours[i].red / 255.0, colours[i].green / 255.0, colours[i].blue / 255.0,
                colours[i].alpha / 255.0);
        cairo_set_source(page_.get(), pattern.get());
        cairo_rectangle(page_.get(), box.x, box.y, box.width, box.height);
        cairo_fill(page_.get());
    }
    void text(glm::vec2 at, std::string_view text, const TextStyle& style) override
    {
        if (style.align != Align::left)
            at.x -= text_width(text, style) * (style.align == Align::centre ? 0.5f : 1.0f);
        const gl::Font font = font_of(style);
        const FontFace& face = faces_[static_cast<std::size_t>(font)];
        // Positions each glyph by our own widths, and links it to the text that it represents.
        std::vector<cairo_glyph_t> glyphs;
        std::vector<cairo_text_cluster_t> clusters;
        std::string words;
        for (const char32_t letter : gl::code_points(text)) {
            glyphs.push_back({FT_Get_Char_Index(face.letters, letter), at.x, at.y});
            const std::string utf8 = gl::utf8(letter);
            clusters.push_back({static_cast<int>(utf8.size()), 1});
            words += utf8;
            at.x += fonts_.advance(font, style.size_px, letter);
        }
        use(style.colour);
        cairo_set_font_face(page_.get(), face.cairo.get());
        cairo_set_font_size(page_.get(), style.size_px);
        cairo_show_text_glyphs(page_.get(), words.data(), static_cast<int>(words.size()),
                               glyphs.data(), static_cast<int>(glyphs.size()), clusters.data(),
                               static_cast<int>(clusters.size()),
                               static_cast<cairo_text_cluster_flags_t>(0));
    }
    float text_width(std::string_view text, const TextStyle& style) override
    {
        return fonts_.width(font_of(style), style.size_px, text);
    }
    void image(const Box& box, const Pixels& pixels) override
    {
        const Surface picture(
            cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels.width, pixels.height),
            cairo_surface_destroy);
        const int stride = cairo_image_surface_get_stride(picture.get());
        const std::uint8_t* from = pixels.rgb.data();
        for (int y = 0; y < pixels.height; ++y) {
            auto* row = reinterpret_cast<std::uint32_t*>(
                cairo_image_surface_get_data(picture.get()) + std::ptrdiff_t{y} * stride);
            for (int x = 0; x < pixels.width; ++x, from += 3)
                row[x] = std::uint32_t{from[0]} << 16 | std::uint32_t{from[1]} << 8 | from[2];
        }
        cairo_surface_mark_dirty(picture.get());
        cairo_save(page_.get());
        cairo_translate(page_.get(), box.x, box.y);
        cairo_scale(page_.get(), box.width / static_cast<double>(pixels.width),
                    box.height / static_cast<double>(pixels.height));
        cairo_set_source_surface(page_.get(), picture.get(), 0, 0);
        cairo_pattern_set_filter(cairo_get_source(page_.get()), CAIRO_FILTER_NEAREST);
        cairo_paint(page_.get());
        cairo_restore(page_.get());
    }
    std::string encode() const override
    {
        cairo_surface_finish(surface_.get());
        const cairo_status_t status = cairo_surface_status(surface_.get());
        if (status != CAIRO_STATUS_SUCCESS)
            throw Error(
                ExitStatus::bad_usage,
                fmt::format("The figure cannot be created: {}.", cairo_status_to_string(status)),
                "Choose a smaller figure.");
        return file_;
    }

private:
    using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

    static cairo_status_t append(void* file, const unsigned char* bytes, unsigned count)
    {
        static_cast<std::string*>(file)->append(reinterpret_cast<const char*>(bytes), count);
        return CAIRO_STATUS_SUCCESS;
    }
    void use(Colour colour)
    {
        cairo_set_source_rgba(page_.get(), colour.red / 255.0, colour.green / 255.0,
                              colour.blue / 255.0, colour.alpha / 255.0);
    }

    gl::Fonts fonts_;
    std::string file_;
    Surface surface_;
    std::unique_ptr<cairo_t, decltype(&cairo_destroy)> page_;
    std::array<FontFace, 3> faces_;
};

} // namespace

std::unique_ptr<Figure> make_pdf(float width, float height, Colour background)
{
    return std::make_unique<Pdf>(width, height, background);
}

} // namespace lanescope::render
