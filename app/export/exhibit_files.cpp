// The file formats, and how an exhibit is written in each.
#include "app/export/exhibit_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compute/endings.h"
#include "compute/error.h"
#include "render/capture/figure.h"
#include "render/capture/file.h"
#include "render/capture/png.h"
#include "render/views/paint/gl_painter.h"

namespace lanescope::app {
namespace {

constexpr float page_width = 1600; // pixels

void save_figure(const Exhibit& exhibit, const std::filesystem::path& path,
                 const render::Theme& theme)
{
    // The page's height depends on how its text wraps, so a first figure only measures it.
    const auto measure = render::make_figure(path, page_width, page_width, theme.background);
    const Page page = page_of(*measure, exhibit, page_width);
    const auto figure = render::make_figure(path, page.width, page.height, theme.background);
    draw_page(*figure, page, exhibit, theme);
    figure->save(path);
}

void save_picture(const Exhibit& exhibit, const std::filesystem::path& path,
                  const render::Theme& theme)
{
    render::GlPainter painter;
    Strips strips;
    const ExhibitPicture picture = picture_of(std::make_shared<Exhibit>(exhibit), theme, painter);
    strips.begin(picture.size, picture.samples, picture.strip);
    render::write_png(path, strips.rest());
}

// A file format, either for an exhibit's parts or for its table.
struct Form {
    std::string_view ending;
    void (*save)(const Exhibit&, const std::filesystem::path&, const render::Theme&) = nullptr;
    std::string (Table::*table)() const = nullptr; // saves the table instead of the parts
};
constexpr Form forms[] = {{ending::svg, &save_figure},
                          {ending::pdf, &save_figure},
                          {ending::png, &save_picture},
                          {ending::csv, nullptr, &Table::csv},
                          {ending::markdown, nullptr, &Table::markdown},
                          {ending::latex, nullptr, &Table::latex}};

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
    const auto form = std::ranges::find(forms, path.extension().string(), &Form::ending);
    if (form == std::end(forms))
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} has no figure or table extension.", path.string()),
                    fmt::format("End the name with {}.", ending::listed(exhibit_endings())));
    if (form->table)
        render::write_file(path, (exhibit.table.*form->table)());
    else
        form->save(exhibit, path, theme);
}

std::vector<std::string_view> exhibit_endings()
{
    std::vector<std::string_view> endings;
    for (const Form& form : forms) endings.push_back(form.ending);
    return endings;
}

std::vector<std::string> endings_of(const Exhibit& exhibit)
{
    std::vector<std::string> endings;
    for (const Form& form : forms)
        if (form.table ? !exhibit.table.empty() : !exhibit.parts.empty())
            endings.emplace_back(form.ending);
    return endings;
}

} // namespace lanescope::app
