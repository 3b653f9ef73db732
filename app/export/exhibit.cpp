// Lays out an exhibit, with as many parts per row as fit.
#include "app/export/exhibit.h"

#include <algorithm>
#include <cmath>

#include "render/views/paint/words.h"

namespace lanescope::app {
namespace {

using render::Box;

constexpr float gap = 1.5F;
constexpr float page_text = 0.019F; // fraction of the page's width
constexpr float line_height = 1.4F;
constexpr float page_plot = 18; // height of a plot on a page

std::size_t columns_of(const std::vector<Exhibit::Part>& parts, float width, float text_px)
{
    float min_part_width = 0;
    for (const Exhibit::Part& part : parts)
        min_part_width = std::max(min_part_width, part.min_width);
    const auto fit =
        static_cast<std::size_t>((width + gap * text_px) / ((min_part_width + gap) * text_px));
    return std::clamp<std::size_t>(fit, 1, std::max<std::size_t>(parts.size(), 1));
}

float natural_height(const Exhibit::Part& part, float plot_height, float text_px)
{
    if (const auto* chart = std::get_if<render::BarChart>(&part.what))
        return bar_chart_height(*chart, text_px);
    if (const auto* listing = std::get_if<render::Listing>(&part.what))
        return listing_height(*listing, text_px);
    return plot_height;
}

// Heights of the rows of parts.
std::vector<float> row_heights(const std::vector<Exhibit::Part>& parts, float width,
                               float plot_height, float text_px)
{
    const std::size_t columns = columns_of(parts, width, text_px);
    std::vector<float> rows;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i % columns == 0) rows.push_back(0);
        rows.back() = std::max(rows.back(), natural_height(parts[i], plot_height, text_px));
    }
    return rows;
}

void draw_part(render::Painter& painter, const Box& box, const Exhibit::Part& part,
               const render::Theme& theme, float text_px)
{
    if (const auto* plot = std::get_if<render::Plot>(&part.what))
        draw_plot(painter, box, *plot, theme, text_px);
    else if (const auto* chart = std::get_if<render::BarChart>(&part.what))
        draw_bar_chart(painter, box, *chart, theme, text_px);
    else
        draw_listing(painter, box, std::get<render::Listing>(part.what), theme, text_px);
}

} // namespace

float parts_height(const std::vector<Exhibit::Part>& parts, float width, const PartSizes& sizes)
{
    float all = 0;
    for (const float row : row_heights(parts, width, sizes.plot, sizes.text))
        all += row + (all > 0 ? gap * sizes.text : 0);
    return all;
}

void draw_parts(render::Painter& painter, const Box& box, const std::vector<Exhibit::Part>& parts,
                const PartSizes& sizes, const render::Theme& theme)
{
    const float text_px = sizes.text;
    const std::size_t columns = columns_of(parts, box.width, text_px);
    const auto rows = row_heights(parts, box.width, sizes.plot, text_px);
    float y = box.y;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const std::size_t first = row * columns;
        const std::size_t last = std::min(first + columns, parts.size());
        float shares = static_cast<float>(columns - (last - first)); // shares of empty columns
        for (std::size_t i = first; i < last; ++i) shares += parts[i].share;
        const float room = box.width - gap * text_px * static_cast<float>(columns - 1);
        float x = box.x;
        for (std::size_t i = first; i < last; ++i) {
            const float width = room * parts[i].share / shares;
            draw_part(painter, {x, y, width, rows[row]}, parts[i], theme, text_px);
            x += width + gap * text_px;
        }
        y += rows[row] + gap * text_px;
    }
}

Page page_of(render::Painter& painter, const Exhibit& exhibit, float width)
{
    const float text = std::round(width * page_text);
    const float inside = width - 2 * text;
    const auto words = broken(painter, exhibit.words, inside, {0.8F * text, {}});
    const float head = (2.2F + 0.8F * line_height * static_cast<float>(words.size()) + 0.6F) * text;
    return {
        width,
        std::ceil(head + parts_height(exhibit.parts, inside, {page_plot * text, text}) + 2 * text),
        text};
}

void draw_page(render::Painter& painter, const Page& page, const Exhibit& exhibit,
               const render::Theme& theme)
{
    const float text = page.text_px;
    const Box inside{text, text, page.width - 2 * text, page.height - 2 * text};
    const render::TextStyle title{1.3F * text, theme.text, true};
    painter.text({inside.x, inside.y + 1.2F * text},
                 fitted(painter, exhibit.title, inside.width, title), title);
    float y = inside.y + 2.2F * text;
    const render::TextStyle words{0.8F * text, theme.muted};
    for (const std::string& line : broken(painter, exhibit.words, inside.width, words)) {
        painter.text({inside.x, y + 0.8F * text}, line, words);
        y += 0.8F * line_height * text;
    }
    y += 0.6F * text;
    draw_parts(painter, {inside.x, y, inside.width, inside.bottom() - y}, exhibit.parts,
               {page_plot * text, text}, theme);
}

} // namespace lanescope::app
