// Chooses the figure format by file name.
#include "render/capture/figure.h"

#include <fmt/format.h>

#include "compute/error.h"
#include "render/capture/file.h"

namespace lanescope::render {

void Figure::save(const std::filesystem::path& path) const
{
    write_file(path, encode());
}

std::unique_ptr<Figure> make_figure(const std::filesystem::path& path, float width, float height,
                                    Colour background)
{
    if (path.extension() == ending::svg) return make_svg(width, height, background);
    if (path.extension() == ending::pdf) return make_pdf(width, height, background);
    throw Error(ExitStatus::bad_usage, fmt::format("{} has no figure extension.", path.string()),
                fmt::format("End the name with {}.", ending::listed(figure_endings)));
}

} // namespace lanescope::render
