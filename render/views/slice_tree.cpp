// Two rows per line: the value with its source, and its position below.
#include "render/views/slice_tree.h"

#include <algorithm>
#include <cmath>

#include "render/views/paint/words.h"

namespace lanescope::render {
namespace {

// Title and verdict at the top, keys at the bottom.
void draw_words(Painter& painter, const Box& box, const SliceView& view, const Theme& theme,
                float em)
{
    const TextStyle title{std::round(1.3F * em), theme.text, true};
    painter.text({box.x, box.y + 1.2F * em}, fitted(painter, view.title, box.width, title), title);
    const TextStyle said{em, view.bad ? theme.series[5] : theme.muted};
    if (view.lines.empty()) {
        draw_lines(painter,
                   {box.x, box.y + 2 * em, std::min(box.width, 40 * em), box.height - 2 * em},
                   view.said, {em, view.bad ? theme.series[5] : theme.text});
    } else {
        painter.text({box.x, box.y + 2.6F * em}, fitted(painter, view.said, box.width, said), said);
    }
    const TextStyle keys{0.93F * em, theme.muted};
    painter.text({box.x, box.bottom() - 0.4F * em}, fitted(painter, view.keys, box.width, keys),
                 keys);
}

void draw_line(Painter& painter, const Box& row, const SliceLine& line, const Theme& theme,
               float em)
{
    const float y = row.y;
    const float left =
        row.x + 0.6F * em + std::min(static_cast<float>(line.depth) * 1.4F * em, 0.4F * row.width);
    if (line.chosen) {
        painter.fill(row, theme.panel);
        painter.fill({row.x, row.y, 0.25F * em, row.height}, theme.mark);
    }
    if (line.depth > 0)
        painter.line({left - 0.7F * em, y}, {left - 0.7F * em, y + 2.3F * em}, theme.grid,
                     std::max(1.0F, 0.08F * em));
    const TextStyle value{em, line.leaf ? theme.series[2] : theme.text, true};
    const TextStyle source{0.95F * em, theme.text, false, Align::left, true};
    const TextStyle words{0.93F * em, theme.muted};
    const std::string shown = fitted(painter, line.value, 0.4F * (row.right() - left), value);
    painter.text({left, y + 1.05F * em}, shown, value);
    const float after = left + painter.text_width(shown, value) + 0.93F * em;
    painter.text({after, y + 1.05F * em},
                 fitted(painter, line.source, std::max(0.0F, row.right() - after), source), source);
    painter.text({left, y + 2.2F * em},
                 fitted(painter, line.words, std::max(0.0F, row.right() - left), words), words);
}

} // namespace

std::vector<SliceHit> draw_slice(Painter& painter, const Box& box, const SliceView& view,
                                 const Theme& theme, float text_px)
{
    const float em = text_px;
    draw_words(painter, box, view, theme, em);
    std::vector<SliceHit> hits;
    const Box area{box.x, box.y + 3.3F * em, box.width, box.height - 5 * em};
    const float high = 2.7F * em;
    const int rows = std::max(1, static_cast<int>(area.height / high));
    const auto count = static_cast<int>(view.lines.size());
    const auto found = std::ranges::find_if(view.lines, &SliceLine::chosen);
    const int chosen = found == view.lines.end() ? 0 : static_cast<int>(found - view.lines.begin());
    // Scrolls by whole pages, so that the tree does not move while the selection moves through it.
    const int max_begin = std::max(0, count - rows);
    const int begin = std::clamp(chosen / rows * rows, 0, max_begin);
    for (int i = begin; i < std::min(begin + rows, count); ++i) {
        const Box row{area.x, area.y + static_cast<float>(i - begin) * high, area.width,
                      high - 0.15F * em};
        draw_line(painter, row, view.lines[static_cast<std::size_t>(i)], theme, em);
        hits.push_back({row, i});
    }
    if (count > rows) {
        const TextStyle right{0.93F * em, theme.muted, false, Align::right};
        painter.text({box.right(), box.bottom() - 0.4F * em - 1.2F * em},
                     std::to_string(begin + 1) + "–" +
                         std::to_string(std::min(begin + rows, count)) + " of " +
                         std::to_string(count),
                     right);
    }
    return hits;
}

} // namespace lanescope::render
