// Three columns: names, bars with their spread, and numbers.
#include "render/views/plot/bar_chart.h"

#include <algorithm>
#include <cmath>

#include "render/views/paint/words.h"

namespace lanescope::render {
namespace {

constexpr float row_height = 1.55f; // in em
constexpr float line_height = 1.6f; // title and axis

float header_height(const BarChart& chart)
{
    return (chart.title.empty() ? 0 : 1.9f) + (chart.axis.empty() ? 0 : line_height);
}

} // namespace

float bar_chart_height(const BarChart& chart, float text_px)
{
    const auto rows = static_cast<float>(std::max<std::size_t>(chart.rows.size(), 2));
    return std::ceil((header_height(chart) + rows * row_height) * text_px);
}

namespace {

// Drops parts from the end until the text fits: "5.6 µs · 1479 GB/s (35 %)" starts with the most
// important part.
std::string shortened(Painter& painter, std::string text, float width, const TextStyle& style)
{
    while (painter.text_width(text, style) > width) {
        const std::size_t aside = text.rfind(" (");
        const std::size_t part = aside == text.npos ? text.rfind(" · ") : aside;
        if (part == text.npos) return fitted(painter, text, width, style);
        text.resize(part);
    }
    return text;
}

// The three columns, and the scale of the bars.
struct BarLayout {
    float name_width = 0;
    float left = 0;       // left edge of the bars
    float gap = 0;        // between the columns
    float longest = 0;    // length of the longest bar
    double max_value = 0; // value of the longest bar

    float length(double value) const
    {
        return max_value > 0 ? static_cast<float>(std::clamp(value / max_value, 0.0, 1.0)) * longest
                             : 0.0f;
    }
    // A row's numbers, as far as they fit next to a bar.
    std::string words(Painter& painter, const Box& box, const BarRow& row,
                      const TextStyle& style) const
    {
        return shortened(painter, row.text, box.right() - left - gap - 2 * style.size_px, style);
    }
};

BarLayout layout_of(Painter& painter, const Box& box, const BarChart& chart, const Theme& theme,
                    float text_px)
{
    BarLayout layout;
    const auto style_of = [&](const BarRow& row) {
        return TextStyle{text_px, theme.text, row.strong};
    };
    for (const BarRow& row : chart.rows)
        layout.name_width =
            std::max(layout.name_width, painter.text_width(row.name, style_of(row)));
    layout.name_width = std::min(layout.name_width, 0.4f * box.width);
    layout.gap = 0.6f * text_px;
    layout.left = box.x + layout.name_width + layout.gap;
    layout.max_value = chart.roof.value_or(0);
    float text_width = 0;
    for (const BarRow& row : chart.rows) {
        const TextStyle style = style_of(row);
        text_width =
            std::max(text_width, painter.text_width(layout.words(painter, box, row, style), style));
        if (row.value && std::isfinite(*row.value))
            layout.max_value = std::max({layout.max_value, *row.value, row.high});
    }
    layout.longest = std::max(2 * text_px, box.right() - layout.left - layout.gap - text_width);
    return layout;
}

// Draws the quantity of the bars, and the roof's name above its line. `line` is the area above the
// bars.
void draw_axis(Painter& painter, const Box& line, const BarChart& chart, const BarLayout& layout,
               const TextStyle& style)
{
    float free_to = line.right();
    if (chart.roof) {
        const float half = painter.text_width(chart.roof_name, style) / 2;
        const float middle = std::clamp(layout.left + layout.length(*chart.roof), line.x + half,
                                        line.right() - half);
        painter.text({middle, line.y + style.size_px}, chart.roof_name,
                     {style.size_px, style.colour, false, Align::centre});
        free_to = middle - half - layout.gap;
    }
    painter.text({line.x, line.y + style.size_px},
                 fitted(painter, chart.axis, free_to - line.x, style), style);
}

// Progress of the bars in a race.
struct Race {
    std::optional<double> at;
    const Theme& theme;
};

// Draws a row's bar with its spread; `at` has its upper left corner and the text height. Returns
// where both end.
float draw_bar(Painter& painter, const Box& at, const BarRow& row, const BarLayout& layout,
               const Race& race)
{
    const float text_px = at.height;
    const float line = std::max(1.0f, std::round(text_px / 14));
    const Box bar{at.x, at.y + 0.18f * text_px, std::max(line, layout.length(*row.value)),
                  1.1f * text_px};
    const Colour colour = row.strong ? race.theme.mark : race.theme.muted.with_alpha(130);
    if (race.at && *race.at < *row.value) {
        painter.fill(bar, race.theme.muted.with_alpha(50));
        painter.fill({bar.x, bar.y, std::min(bar.width, layout.length(*race.at)), bar.height},
                     colour);
        return bar.right();
    }
    painter.fill(bar, colour);
    if (row.high <= row.low) return bar.right();
    const float middle = bar.y + bar.height / 2;
    const float end = at.x + layout.length(row.high);
    painter.line({at.x + layout.length(row.low), middle}, {end, middle}, race.theme.text, 2 * line);
    return std::max(bar.right(), end);
}

} // namespace

void draw_bar_chart(Painter& painter, const Box& box, const BarChart& chart, const Theme& theme,
                    float text_px)
{
    float y = box.y;
    if (!chart.title.empty()) {
        const TextStyle title{1.15f * text_px, theme.text, true};
        painter.text({box.x, y + 1.1f * text_px}, fitted(painter, chart.title, box.width, title),
                     title);
        y += 1.9f * text_px;
    }
    if (chart.rows.empty()) {
        draw_words(painter, {box.x, y, box.width, box.bottom() - y}, chart.empty,
                   {text_px, theme.muted});
        return;
    }
    const BarLayout layout = layout_of(painter, box, chart, theme, text_px);
    if (!chart.axis.empty()) {
        draw_axis(painter, {box.x, y, box.width, line_height * text_px}, chart, layout,
                  {text_px, theme.muted});
        y += line_height * text_px;
    }
    const float top = y;
    for (const BarRow& row : chart.rows) {
        const TextStyle style{text_px, theme.text, row.strong};
        const float baseline = y + 1.06f * text_px;
        painter.text({box.x, baseline}, fitted(painter, row.name, layout.name_width, style), style);
        float end = layout.left;
        if (row.value && std::isfinite(*row.value))
            end = draw_bar(painter, {layout.left, y, layout.longest, text_px}, row, layout,
                           {chart.race, theme});
        // If a roof falls between the bars' ends, numbers get their own column.
        const TextStyle number{text_px, row.value ? theme.text : theme.muted, row.strong,
                               chart.roof ? Align::right : Align::left};
        painter.text({chart.roof ? box.right() : end + layout.gap, baseline},
                     layout.words(painter, box, row, style), number);
        y += row_height * text_px;
    }
    if (chart.roof)
        painter.fill({layout.left + layout.length(*chart.roof), top,
                      2 * std::max(1.0f, std::round(text_px / 14)), y - top},
                     theme.muted);
}

} // namespace lanescope::render
