// Exhibits as files: figures (SVG, PDF), pictures (PNG) and tables (CSV, Markdown), written
// atomically.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/strips.h"
#include "app/export/exhibit.h"
#include "render/views/paint/gl_painter.h"
#include "render/views/paint/theme.h"

namespace lanescope::app {

// Chooses the format by extension, one of exhibit_endings(). A PNG needs a current OpenGL context.
// Throws Error (bad_usage) for another extension, or a file that cannot be written.
void save_exhibit(const Exhibit& exhibit, const std::filesystem::path& path,
                  const render::Theme& theme);

// Drawing of the exhibit as a PNG, for Strips::begin. The painter and its OpenGL context must
// outlive the drawing.
struct ExhibitPicture {
    Size size;
    int samples = 4;
    Strips::Strip strip;
};
ExhibitPicture picture_of(std::shared_ptr<const Exhibit> exhibit, const render::Theme& theme,
                          render::GlPainter& painter);

std::vector<std::string_view> exhibit_endings();
// Extensions that apply: no .csv without a table.
std::vector<std::string> endings_of(const Exhibit& exhibit);

} // namespace lanescope::app
