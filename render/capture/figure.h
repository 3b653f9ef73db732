// Figures for slides and papers: what a Painter draws, as SVG or PDF, with pictures (maps, fields)
// inside.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "compute/endings.h"
#include "render/capture/pixels.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

class Figure : public Painter {
public:
    // A picture scaled into the box; its pixels stay squares.
    virtual void image(const Box& box, const Pixels& pixels) = 0;
    // The file's bytes. The same drawing gives the same bytes.
    virtual std::string encode() const = 0;
    // Writes the file, whole or not at all. Throws Error (bad_usage).
    void save(const std::filesystem::path& path) const;
};

// Sizes in pixels; a PDF counts 96 to the inch. Text stays text: in SVG in Inter, else the viewer's
// sans-serif; in PDF in our fonts, of which the file carries the letters that it needs.
std::unique_ptr<Figure> make_svg(float width, float height, Colour background);
std::unique_ptr<Figure> make_pdf(float width, float height, Colour background);

inline constexpr std::array<std::string_view, 2> figure_endings{ending::svg, ending::pdf};
// By the path's ending; throws Error (bad_usage) where it is none of those.
std::unique_ptr<Figure> make_figure(const std::filesystem::path& path, float width, float height,
                                    Colour background);

} // namespace lanescope::render
