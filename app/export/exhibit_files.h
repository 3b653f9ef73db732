// Exhibits as files: figures (SVG, PDF), pictures (PNG) and tables (CSV, Markdown), each whole or
// not there.
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

// By the path's ending, one of exhibit_endings(). A PNG needs a current OpenGL context. Throws
// Error (bad_usage) for another ending, or a file that cannot be written.
void save_exhibit(const Exhibit& exhibit, const std::filesystem::path& path,
                  const render::Theme& theme);

// How a PNG shows it, for Strips::begin. The painter and its OpenGL context must stay until it is
// drawn.
struct ExhibitPicture {
    Size size;
    int samples = 4;
    Strips::Strip strip;
};
ExhibitPicture picture_of(std::shared_ptr<const Exhibit> exhibit, const render::Theme& theme,
                          render::GlPainter& painter);

std::vector<std::string_view> exhibit_endings();
// Those that say something: no table, no .csv.
std::vector<std::string> endings_of(const Exhibit& exhibit);

} // namespace lanescope::app
