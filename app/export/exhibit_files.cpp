// See exhibit_files.h.
#include "app/export/exhibit_files.h"

#include <fmt/format.h>

#include <utility>

#include "compute/error.h"
#include "render/capture/figure.h"
#include "render/capture/file.h"
#include "render/capture/png.h"
#include "render/views/paint/gl_painter.h"

namespace lanescope::app {
namespace {

constexpr float page_width = 1600; // pixels

} // namespace

ExhibitPicture picture_of(std::shared_ptr<const Exhibit> exhibit, const render::Theme& theme,
                          render::GlPainter& painter)
{
    const Page page = page_of(painter, *exhibit, page_width);
    const auto draw = [exhibit = std::move(exhibit), theme, &painter,
                       page](const render::PixelRect& viewport) {
        painter.fill({0, 0, page.width, page.height}, theme.background);
        draw_page(painter, page, *exhibit, theme);
        painter.flush(viewport);
    };
    return {.size = {static_cast<int>(page.width), static_cast<int>(page.height)},
            .strip = {{draw}}};
}

void save_exhibit(const Exhibit& exhibit, const std::filesystem::path& path,
                  const render::Theme& theme)
{
    const std::string ending = path.extension().string();
    if (ending == ".csv") {
        render::write_file(path, exhibit.table.csv());
    } else if (ending == ".md") {
        render::write_file(path, exhibit.table.markdown());
    } else if (ending == ".png") {
        render::GlPainter painter;
        Strips strips;
        const ExhibitPicture picture =
            picture_of(std::make_shared<Exhibit>(exhibit), theme, painter);
        strips.begin(picture.size, picture.samples, picture.strip);
        render::write_png(path, strips.rest());
    } else if (ending == ".svg" || ending == ".pdf") {
        // The page's height follows from how its words break, which a figure can measure.
        const auto measure = render::make_figure(path, page_width, page_width, theme.background);
        const Page page = page_of(*measure, exhibit, page_width);
        const auto figure = render::make_figure(path, page.width, page.height, theme.background);
        draw_page(*figure, page, exhibit, theme);
        figure->save(path);
    } else {
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} names no kind of file that an exhibit can be.", path.string()),
                    "End the name with .svg, .pdf, .png, .csv or .md.");
    }
}

std::vector<std::string> endings_of(const Exhibit& exhibit)
{
    std::vector<std::string> endings;
    if (!exhibit.parts.empty()) endings = {".svg", ".pdf", ".png"};
    if (!exhibit.table.empty()) endings.insert(endings.end(), {".csv", ".md"});
    return endings;
}

} // namespace lanescope::app
