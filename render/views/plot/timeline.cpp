// Reserves height for the words, divides the rest among rows, and draws bars and the lower bound.
#include "render/views/plot/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "render/views/paint/words.h"
#include "render/views/plot/plot_axis.h"

namespace lanescope::render {
namespace {

// Draws the result and the sentences at the top; returns the baseline of the next line.
float draw_header(Painter& painter, const Box& box, const TimelineData& data, const Theme& theme,
                  float text_px)
{
    float y = box.y;
    if (!data.number.empty()) {
        TextStyle large{std::round(2 * text_px), theme.text, true};
        const float wide = painter.text_width(data.number, large);
        // Text width is not exactly proportional to size, so leave a margin.
        if (wide > box.width) large.size_px *= 0.96f * box.width / wide;
        y += large.size_px;
        painter.text({box.x, y}, data.number, large);
        y += 0.4f * text_px;
    }
    TextStyle plain{text_px, data.number.empty() ? theme.text : theme.muted};
    // Draws only whole sentences, as many as fit.
    for (const std::string& words : data.words) {
        const auto lines = broken(painter, words, box.width, plain);
        if (y + 1.3f * text_px * static_cast<float>(lines.size()) > box.bottom()) break;
        for (const std::string& line : lines) {
            y += 1.3f * text_px;
            painter.text({box.x, y}, line, plain);
        }
        plain.colour = theme.muted;
    }
    return y + 0.6f * text_px;
}

// Positions of rows and bars. Titles are above their rows or, if that leaves no room for bars, to
// their left.
struct TimelineLayout {
    Box rows;
    Box bars;       // right of the column of titles, if any
    float foot = 0; // top of the ticks
    float pitch = 0;
    bool beside = false;
    double end = 0; // end of the scale

    float x(double value) const { return bars.x + static_cast<float>(value / end) * bars.width; }
};

void draw_ticks(Painter& painter, const TimelineLayout& layout, const AxisRange& range,
                const Theme& theme, float text_px)
{
    for (const Tick& tick : range.ticks()) {
        const float x = layout.x(tick.value);
        painter.fill({std::round(x), layout.rows.y, 1, layout.foot - layout.rows.y}, theme.grid);
        const TextStyle style{text_px, theme.muted, false,
                              tick.value <= 0              ? Align::left
                              : tick.value >= range.high() ? Align::right
                                                           : Align::centre};
        painter.text({x, layout.foot + 1.2f * text_px}, tick.label, style);
    }
}

struct PlacedBar {
    const TimelineData::Bar& bar;
    float top = 0;
    float height = 0;
    float ideal_x = 0; // position of the ideal's line, which no word crosses
};

void frame_box(Painter& painter, const Box& box, Colour colour, float wide)
{
    painter.fill({box.x, box.y, box.width, wide}, colour);
    painter.fill({box.x, box.bottom() - wide, box.width, wide}, colour);
    painter.fill({box.x, box.y, wide, box.height}, colour);
    painter.fill({box.right() - wide, box.y, wide, box.height}, colour);
}

void draw_timeline_bar(Painter& painter, const TimelineLayout& layout, const PlacedBar& placed,
                       const Theme& theme, float text_px)
{
    const TimelineData::Bar& bar = placed.bar;
    const float left = layout.x(bar.begin);
    const float width = std::max(1.0f, layout.x(bar.end) - left);
    const auto series = static_cast<std::size_t>(bar.series) % theme.series.size();
    const float gap = std::min(width / 8, text_px / 10);
    const Box box{left, placed.top, width - gap, placed.height};
    if (bar.waiting)
        frame_box(painter, box, theme.muted, std::max(1.0f, text_px / 12));
    else
        painter.fill(box, theme.series[series]);
    const TextStyle style{text_px, bar.waiting ? theme.text : theme.background, !bar.waiting,
                          Align::centre};
    // "waits for device 1", "device 1" or "1", next to the line of the ideal.
    float begin = box.x, end = box.right();
    if (const float line = placed.ideal_x; line > begin && line < end)
        (line - begin > end - line ? end : begin) = line;
    std::string_view word = bar.word;
    const auto fits = [&] { return painter.text_width(word, style) < end - begin - 3 * gap; };
    for (std::size_t first = 0; !fits() && first != word.npos;)
        if (first = word.find(' '); first != word.npos) word.remove_prefix(first + 1);
    if (placed.height > text_px && fits())
        painter.text({(begin + end) / 2, placed.top + placed.height / 2 + 0.36f * style.size_px},
                     word, style);
}

void draw_rows(Painter& painter, const TimelineLayout& layout, const TimelineData& data,
               const Theme& theme, float text_px)
{
    const Box& rows = layout.rows;
    const Box& bars = layout.bars;
    const float pitch = layout.pitch;
    const bool beside = layout.beside;
    const TextStyle title{text_px, theme.text};
    const float bar_px =
        std::clamp(beside ? 0.8f * pitch : pitch - 1.9f * text_px, 2.0f, 3.2f * text_px);
    for (std::size_t row = 0; row < data.rows.size(); ++row) {
        const float y = rows.y + static_cast<float>(row) * pitch;
        const float bar_top = beside ? y + 0.1f * pitch : y + 1.5f * text_px;
        const float words_y = beside ? bar_top + bar_px / 2 + 0.36f * text_px : y + 1.1f * text_px;
        const float room = beside ? bars.x - rows.x - text_px / 2 : rows.width;
        // If the text is too wide, the part after a comma is dropped first.
        std::string words = data.rows[row];
        if (const auto comma = words.find(',');
            comma != std::string::npos && painter.text_width(words, title) > room)
            words.resize(comma);
        if (pitch > 1.2f * text_px)
            painter.text({rows.x, words_y}, fitted(painter, words, room, title), title);
        painter.fill({bars.x, bar_top, bars.width, bar_px}, theme.panel);
        for (const auto& bar : data.bars)
            if (bar.row == static_cast<int>(row))
                draw_timeline_bar(painter, layout, {bar, bar_top, bar_px, layout.x(data.ideal)},
                                  theme, text_px);
    }
}

// A line across all rows, labelled if there is room.
void draw_ideal(Painter& painter, const TimelineLayout& layout, const TimelineData& data,
                const Theme& theme, float text_px)
{
    const float x = layout.x(data.ideal);
    const float wide = std::max(2.0f, text_px / 8);
    painter.fill({x - wide / 2, layout.rows.y, wide, layout.foot - layout.rows.y}, theme.text);
    const float words = painter.text_width(data.ideal_words, {text_px, theme.text, true});
    const bool left = x + words + text_px > layout.rows.right();
    painter.text({left ? x - 0.4f * text_px : x + 0.4f * text_px, layout.foot - 0.2f * text_px},
                 data.ideal_words,
                 {text_px, theme.series[2], true, left ? Align::right : Align::left});
}

} // namespace

double end_of(const TimelineData& data)
{
    double last = data.ideal;
    for (const auto& bar : data.bars) last = std::max(last, bar.end);
    return last;
}

void draw_timeline(Painter& painter, const Box& box, const TimelineData& data, const Theme& theme,
                   float text_px)
{
    const bool timed = !data.axis.empty();
    const float top = draw_header(painter, box, data, theme, text_px);
    const float below = timed ? 2.9f * text_px : 0;                   // ticks and the axis title
    const float named = timed && data.ideal > 0 ? 1.2f * text_px : 0; // label of the ideal
    TimelineLayout layout;
    const Box& rows = layout.rows = {box.x, top, box.width, box.bottom() - top - below - named};
    layout.foot = rows.bottom() + named;
    if (data.rows.empty() || rows.height < 2 * text_px) return;

    const double last = std::max(end_of(data), data.min_end);
    if (last <= 0) return;
    const PlotAxis axis{.title = data.axis, .from_zero = true};
    const AxisRange range(axis, 0, last, std::max(2, static_cast<int>(box.width / text_px / 7)));
    layout.end = timed ? range.high() : last;
    layout.pitch = rows.height / static_cast<float>(data.rows.size());
    layout.beside = layout.pitch < 2.6f * text_px;
    float column = 0;
    if (layout.beside)
        for (const std::string& row : data.rows)
            column = std::max(column, painter.text_width(row, {text_px, theme.text}) + text_px);
    column = std::min(column, 0.4f * rows.width);
    layout.bars = {rows.x + column, rows.y, rows.width - column, rows.height};
    if (timed) draw_ticks(painter, layout, range, theme, text_px);
    draw_rows(painter, layout, data, theme, text_px);
    if (!timed) return;
    if (data.ideal > 0) draw_ideal(painter, layout, data, theme, text_px);
    const TextStyle title{text_px, theme.muted, false, Align::centre};
    painter.text({layout.bars.x + layout.bars.width / 2, layout.foot + 2.5f * text_px},
                 fitted(painter, data.axis, layout.bars.width, title), title);
}

} // namespace lanescope::render
