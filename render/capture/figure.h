// Figures for slides and papers: writes what a Painter draws as SVG or PDF, with embedded pictures
// (maps, fields).
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "compute/endings.h"
#include "render/views/paint/painter.h"
#include "render/views/paint/pixels.h"

namespace lanescope::render {

class Figure : public Painter {
public:
    // A picture scaled to the box with hard pixel edges.
    virtual void image(const Box& box, const Pixels& pixels) = 0;
    // Returns the file's bytes; the same drawing always gives the same bytes.
    virtual std::string encode() const = 0;
    // Writes the file atomically. Throws Error (bad_usage).
    void save(const std::filesystem::path& path) const;
};

// Sizes are in pixels; a PDF has 96 per inch. Text stays text: SVG names Inter, else the viewer's
// sans-serif font; PDF embeds the glyphs that it uses from our fonts.
std::unique_ptr<Figure> make_svg(float width, float height, Colour background);
std::unique_ptr<Figure> make_pdf(float width, float height, Colour background);

inline constexpr std::array<std::string_view, 2> figure_endings{ending::svg, ending::pdf};
// Chooses by the path's extension; throws Error (bad_usage) for any other.
std::unique_ptr<Figure> make_figure(const std::filesystem::path& path, float width, float height,
                                    Colour background);

} // namespace lanescope::render
