// Line numbers, text and right-aligned numbers in a monospaced font.
#include "render/views/plot/listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/views/colours/colour_maps.h"
#include "render/views/paint/words.h"

namespace lanescope::render {
namespace {

constexpr float listed_height = 1.4f;

float cell_width(Painter& painter, const Listing& listing, std::size_t column, float text_px)
{
    float width = painter.text_width(listing.columns[column], {text_px, {}});
    for (const ListingLine& line : listing.lines)
        if (!line.cells.empty())
            width = std::max(width, painter.text_width(line.cells[column], {text_px, {}}));
    return width + text_px;
}

} // namespace

float listing_height(const Listing& listing, float text_px)
{
    return listed_height * text_px * static_cast<float>(listing.lines.size() + 1);
}

void draw_listing(Painter& painter, const Box& box, const Listing& listing, const Theme& theme,
                  float text_px)
{
    const float row = listed_height * text_px;
    const TextStyle code{text_px, theme.text, false, Align::left, true};
    const TextStyle number{text_px, theme.muted, false, Align::right, true};
    const float numbers =
        painter.text_width(fmt::format("{} ", listing.lines.size()), number) + 0.2f * text_px;

    float right = box.right();
    std::vector<float> ends;
    for (std::size_t column = listing.columns.size(); column > 0; --column) {
        ends.insert(ends.begin(), right);
        right -= cell_width(painter, listing, column - 1, text_px);
    }
    float widest = 1;
    for (const ListingLine& line : listing.lines)
        widest = std::max(widest, painter.text_width(line.text, code));
    const float room = std::max(1.0f, right - box.x - numbers);
    TextStyle fitting = code;
    fitting.size_px *= std::clamp(room / widest, 0.5f, 1.0f);

    float y = box.y + text_px;
    for (std::size_t column = 0; column < ends.size(); ++column)
        painter.text({ends[column], y}, listing.columns[column],
                     {text_px, theme.muted, false, Align::right});
    for (std::size_t i = 0; i < listing.lines.size(); ++i) {
        const ListingLine& line = listing.lines[i];
        y += row;
        if (line.heat > 0)
            painter.fill({box.x, y - 0.75f * row, box.width, row},
                         colour_at(ColourMap::excess, line.heat).with_alpha(110));
        painter.text({box.x + numbers - 0.8f * text_px, y}, fmt::format("{}", i + 1), number);
        painter.text({box.x + numbers, y}, fitted(painter, line.text, room, fitting), fitting);
        for (std::size_t column = 0; column < line.cells.size(); ++column)
            painter.text({ends[column], y}, line.cells[column],
                         {text_px, theme.text, false, Align::right});
    }
}

} // namespace lanescope::render
