// Three columns: names, bars with their spread, and numbers.
#include "render/views/plot/bar_chart.h"

#include <algorithm>
#include <cmath>

#include "render/views/paint/words.h"

namespace lanescope::render {
namespace {

constexpr float row_height = 1.55f; // of the text
constexpr float line_height = 1.6f; // title and axis

float head_height(const BarChart& chart)
{
    return (chart.title.empty() ? 0 : 1.9f) + (chart.axis.empty() ? 0 : line_height);
}

} // namespace

float bar_chart_height(const BarChart& chart, float text_px)
{
    const auto rows = static_cast<float>(std::max<std::size_t>(chart.rows.size(), 2));
    return std::ceil((head_height(chart) + rows * row_height) * text_px);
}

namespace {

// Without its last parts, as far as it is wider than that: "5.6 µs · 1479 GB/s (35 %)" begins with
// what matters most.
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
    float name_width = 0, text_width = 0;
    for (const BarRow& row : chart.rows)
        name_width =
            std::max(name_width, painter.text_width(row.name, {text_px, theme.text, row.strong}));
    name_width = std::min(name_width, 0.4f * box.width);
    const float gap = 0.6f * text_px;
    const float left = box.x + name_width + gap;
    const auto words = [&](const BarRow& row) {
        return shortened(painter, row.text, box.right() - left - gap - 2 * text_px,
                         {text_px, theme.text, row.strong});
    };
    double most = chart.roof.value_or(0);
    for (const BarRow& row : chart.rows) {
        const TextStyle style{text_px, theme.text, row.strong};
        text_width = std::max(text_width, painter.text_width(words(row), style));
        if (row.value && std::isfinite(*row.value)) most = std::max({most, *row.value, row.high});
    }
    const float longest = std::max(2 * text_px, box.right() - left - gap - text_width);
    const auto length = [&](double value) {
        return most > 0 ? static_cast<float>(std::clamp(value / most, 0.0, 1.0)) * longest : 0.0f;
    };
    const float line = std::max(1.0f, std::round(text_px / 14));
    if (!chart.axis.empty()) {
        const TextStyle axis{text_px, theme.muted};
        float free_to = box.right();
        if (chart.roof) {
            const float half = painter.text_width(chart.roof_name, axis) / 2;
            const float middle =
                std::clamp(left + length(*chart.roof), box.x + half, box.right() - half);
            painter.text({middle, y + text_px}, chart.roof_name,
                         {text_px, theme.muted, false, Align::centre});
            free_to = middle - half - gap;
        }
        painter.text({box.x, y + text_px}, fitted(painter, chart.axis, free_to - box.x, axis),
                     axis);
        y += line_height * text_px;
    }
    const float top = y;
    for (const BarRow& row : chart.rows) {
        const TextStyle style{text_px, theme.text, row.strong};
        const float baseline = y + 1.06f * text_px;
        painter.text({box.x, baseline}, fitted(painter, row.name, name_width, style), style);
        float end = left;
        if (row.value && std::isfinite(*row.value)) {
            const Box bar{left, y + 0.18f * text_px, std::max(line, length(*row.value)),
                          1.1f * text_px};
            const Colour colour = row.strong ? theme.mark : theme.muted.with_alpha(130);
            end = bar.right();
            const bool runs = chart.race && *chart.race < *row.value;
            if (runs) {
                painter.fill(bar, theme.muted.with_alpha(50));
                painter.fill({bar.x, bar.y, std::min(bar.width, length(*chart.race)), bar.height},
                             colour);
            } else {
                painter.fill(bar, colour);
            }
            if (row.high > row.low && !runs) {
                const float middle = bar.y + bar.height / 2;
                painter.line({left + length(row.low), middle}, {left + length(row.high), middle},
                             theme.text, 2 * line);
                end = std::max(end, left + length(row.high));
            }
        }
        // Where a roof stands between the bars' ends, numbers keep to a column of their own.
        const TextStyle number{text_px, row.value ? theme.text : theme.muted, row.strong,
                               chart.roof ? Align::right : Align::left};
        painter.text({chart.roof ? box.right() : end + gap, baseline}, words(row), number);
        y += row_height * text_px;
    }
    if (chart.roof) painter.fill({left + length(*chart.roof), top, 2 * line, y - top}, theme.muted);
}

} // namespace lanescope::render
