// All bars have the same width, so that the full one is obvious; small capacities show individual
// slots.
#include "render/views/slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "compute/numbers.h"
#include "render/views/paint/words.h"

namespace lanescope::render {
namespace {

constexpr std::int32_t max_single_slots = 64;

std::string amount(std::int32_t number, const std::string& unit)
{
    if (unit == "B" && number >= 1024)
        return fmt::format("{:.{}g} KiB", static_cast<double>(number) / 1024,
                           number < 10 * 1024 ? 3 : 4);
    std::string digits = fmt::format("{}", number);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    return unit.empty() ? digits : digits + " " + unit;
}

constexpr std::string_view part = " · ";

// "48 of 64 warps · 8 per block · room for 8 blocks", the most informative part first.
std::string details(const SlotsRow& row, std::int32_t count, const std::string& occupant)
{
    const bool bytes = row.unit == "B";
    const std::string unit = bytes ? "B" : "";
    const std::string all = amount(count * row.taken, unit);
    std::string words =
        row.mark.empty() ? fmt::format("{} of {}", all, amount(row.capacity, row.unit))
                         : fmt::format("{}, {}: {}", all, row.mark, amount(row.capacity, row.unit));
    words += fmt::format("{}{} per {}", part, amount(row.taken, unit), occupant);
    if (row.asked < row.taken) words += fmt::format(" ({} requested)", amount(row.asked, unit));
    if (row.fits == INT32_MAX) return words;
    return words + fmt::format("{}room for {}", part,
                               counted(static_cast<std::size_t>(std::max(row.fits, 0)), occupant));
}

// Drops parts from the end until the text fits; the first always stays.
std::string drop_parts_to_fit(Painter& painter, std::string words, float width,
                              const TextStyle& style)
{
    while (painter.text_width(words, style) > width && words.find(part) != std::string::npos)
        words.erase(words.rfind(part));
    return words;
}

// A resource that occupants don't use cannot limit their number.
bool is_limit(const SlotsRow& row, std::int32_t count)
{
    return row.taken > 0 && row.fits == count;
}

// A resource's bar, with the share of each occupant.
struct SlotsBar {
    Box box;
    const SlotsRow& row;
    std::int32_t count;
    const std::string& occupant;
};

void draw_bar(Painter& painter, const SlotsBar& drawn, const Theme& theme, float text_px)
{
    const Box& bar = drawn.box;
    const SlotsRow& row = drawn.row;
    painter.fill(bar, theme.panel);
    // A bar ends at the capacity, or at what the occupants take where that may be more.
    const std::int64_t total_share = std::int64_t{drawn.count} * row.taken;
    const std::int64_t end =
        row.mark.empty() ? row.capacity : std::max<std::int64_t>(row.capacity, total_share);
    const auto px = [&](double amount_of) {
        return static_cast<float>(static_cast<double>(bar.width) * amount_of /
                                  static_cast<double>(std::max<std::int64_t>(end, 1)));
    };
    const float gap = std::clamp(px(row.taken) / 12, 0.0f, text_px / 6);
    // Labels: "block 3", or "3" if there is no room.
    const TextStyle style{text_px, theme.background, true, Align::centre};
    const std::string last = std::to_string(std::max(drawn.count - 1, 0));
    const auto fits = [&](const std::string& word) {
        return painter.text_width(word, style) <
               0.9f * std::min(px(row.taken), px(row.asked)) - gap;
    };
    const bool named = fits(drawn.occupant + " " + std::string(last.size(), '0'));
    for (std::int32_t i = 0; i < drawn.count; ++i) {
        const float left = bar.x + px(static_cast<double>(i) * row.taken);
        const float taken = std::min(px(row.taken), bar.right() - left);
        if (taken < 1) break; // narrower than a pixel
        const Colour colour = theme.series[static_cast<std::size_t>(i) % theme.series.size()];
        painter.fill({left, bar.y, std::max(1.0f, taken - gap), bar.height}, colour.with_alpha(90));
        const float asked = std::min(px(row.asked), taken);
        painter.fill({left, bar.y, std::max(1.0f, asked - gap), bar.height}, colour);
        const std::string word =
            named ? fmt::format("{} {}", drawn.occupant, i) : std::to_string(i);
        if (named || fits(word))
            painter.text({left + (asked - gap) / 2, bar.y + bar.height / 2 + 0.36f * text_px}, word,
                         style);
    }
    if (row.capacity <= max_single_slots)
        for (std::int32_t slot = 1; slot < row.capacity; ++slot)
            painter.fill({std::round(bar.x + px(slot)), bar.y, 1, bar.height},
                         theme.background.with_alpha(150));
    painter.outline(bar, theme.muted, std::max(1.0f, text_px / 12));
    if (row.mark.empty()) return;
    const float line_px = std::max(2.0f, std::round(text_px / 6));
    const float x =
        std::clamp(bar.x + px(row.capacity) - line_px / 2, bar.x, bar.right() - line_px);
    painter.fill({x, bar.y - 0.3f * text_px, line_px, bar.height + 0.6f * text_px}, theme.text);
    if (bar.height < 1.1f * text_px) return; // rows are too close for a name below the bar
    const TextStyle name{text_px, theme.text, true};
    const float width = painter.text_width(row.mark, name);
    const bool before = x + width > bar.right();
    painter.text({before ? x - width + line_px : x, bar.bottom() + 1.25f * text_px}, row.mark,
                 name);
}

// Fallback without bars: one line of text per resource.
void list_slots(Painter& painter, const Box& box, const SlotsData& data, const Theme& theme,
                float text_px)
{
    const std::int32_t count = data.occupants;
    const auto rows = static_cast<float>(std::max<std::size_t>(1, data.rows.size()));
    const float pitch = std::min(box.height / rows, 1.6f * text_px);
    const float size = std::min(text_px, pitch / 1.2f);
    float baseline = box.y + size;
    for (const SlotsRow& row : data.rows) {
        const bool limits = is_limit(row, count);
        const TextStyle style{size, limits ? theme.series[1] : theme.text, limits};
        const std::string words = fmt::format("{}{}: {}", row.title, limits ? " (limits)" : "",
                                              details(row, count, data.occupant));
        painter.text(
            {box.x, baseline},
            fitted(painter, drop_parts_to_fit(painter, words, box.width, style), box.width, style),
            style);
        baseline += pitch;
    }
}

} // namespace

void draw_slots(Painter& painter, const Box& box, const SlotsData& data, const Theme& theme,
                float text_px)
{
    const std::int32_t count = data.occupants;
    const auto rows = static_cast<float>(std::max<std::size_t>(1, data.rows.size()));
    const float pitch = box.height / rows;
    if (pitch < 3 * text_px) return list_slots(painter, box, data, theme, text_px);
    const float bar_px = std::clamp(pitch - 3.4f * text_px, text_px, 4.5f * text_px);
    float top = box.y + std::max(0.0f, pitch - bar_px - 3.0f * text_px) / 2;
    for (const SlotsRow& row : data.rows) {
        const bool limits = is_limit(row, count);
        const TextStyle title{std::round(1.2f * text_px), limits ? theme.series[1] : theme.text,
                              limits};
        const float baseline = top + 1.2f * text_px;
        std::string name = row.title;
        if (limits) {
            name = fmt::format("{}: no room for another {}", row.title, data.occupant);
            if (painter.text_width(name, title) > box.width) name = row.title + ": limits";
        }
        painter.text({box.x, baseline}, name, title);
        // The maximum number of parts that fit.
        const TextStyle style{text_px, theme.muted, false, Align::right};
        const float room = box.width - painter.text_width(name, title) - text_px;
        const std::string detail =
            drop_parts_to_fit(painter, details(row, count, data.occupant), room, style);
        if (painter.text_width(detail, style) <= room)
            painter.text({box.right(), baseline}, detail, style);
        const Box bar{std::round(box.x), std::round(top + 1.8f * text_px), std::round(box.width),
                      std::round(bar_px)};
        draw_bar(painter, {bar, row, count, data.occupant}, theme, text_px);
        top += pitch;
    }
}

} // namespace lanescope::render
