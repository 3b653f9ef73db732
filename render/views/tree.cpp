// Positions of threads and steps, and the mark at each crossing: filled if a value arrived that a
// result needed, an outline if one arrived for nothing, a small outline if the thread took part and
// received nothing, a dot if it was idle.
#include "render/views/tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "compute/numbers.h"
#include "render/views/paint/words.h"

namespace lanescope::render {
namespace {

using trace::Exchange;
using trace::ExchangeRow;
using trace::PassedValue;

constexpr int row_lanes = 32;
constexpr float code_height = 1.35F; // line height of code, in em

struct TreeLayout {
    Box box;         // the whole drawing
    Box columns;     // the threads' columns, from the first memory row to the last store row
    int first, last; // indices of the threads drawn: [first, last)
    float slot, gap; // width per thread, and between warps
    float row_height;
    int rows;    // number of steps that fit
    bool narrow; // half of A/B: shorter labels leave more room for the lanes

    float x(int thread) const
    {
        const int place = thread - first;
        const float between = gap * static_cast<float>(place / row_lanes);
        return columns.x + (static_cast<float>(place) + 0.5F) * slot + between;
    }
    // Row 0 shows what threads hold before the first step.
    float y(int row) const { return columns.y + (static_cast<float>(row) + 0.5F) * row_height; }
    bool shows(int thread) const { return thread >= first && thread < last; }
    float node() const { return std::clamp(0.5F * slot, 2.5F, 0.42F * row_height); }
};

bool shows(const TreeData& data, int thread)
{
    return data.warp < 0 || thread / row_lanes == data.warp;
}

// True if values from other warps arrive in the warp that is drawn.
bool has_outside(const TreeData& data)
{
    return std::ranges::any_of(data.exchange.rows, [&](const ExchangeRow& row) {
        return std::ranges::any_of(row.handed, [&](const PassedValue& handed) {
            return shows(data, handed.to) && !shows(data, handed.from);
        });
    });
}

// The key has two lines, or more in a narrow drawing.
TreeLayout layout_of(const Box& box, const TreeData& data, std::size_t key_lines, float text_px)
{
    const Exchange& exchange = data.exchange;
    TreeLayout layout{};
    layout.box = box;
    layout.first = data.warp < 0 ? 0 : data.warp * row_lanes;
    layout.last =
        data.warp < 0 ? exchange.threads : std::min(exchange.threads, (data.warp + 1) * row_lanes);
    layout.narrow = box.width < 30 * text_px;
    const float left = (layout.narrow ? 3.8F : 6.8F) * text_px;
    const float right = (!has_outside(data) ? 0.5F : layout.narrow ? 4.8F : 7.6F) * text_px;
    const float top = (1.6F + code_height * static_cast<float>(data.code.size())) * text_px;
    const float bottom = (1.8F + 1.2F * static_cast<float>(key_lines)) * text_px; // and the summary
    layout.columns = {box.x + left, box.y + top, box.width - left - right,
                      box.height - top - bottom};
    const int drawn = std::max(layout.last - layout.first, data.warp < 0 ? 1 : row_lanes);
    const int gaps = (drawn - 1) / row_lanes;
    layout.gap =
        gaps > 0 ? std::min(text_px, 0.15F * layout.columns.width / static_cast<float>(gaps)) : 0;
    layout.slot =
        (layout.columns.width - layout.gap * static_cast<float>(gaps)) / static_cast<float>(drawn);
    const auto wanted = static_cast<int>(exchange.rows.size());
    const int room = std::max(1, static_cast<int>(layout.columns.height / (1.1F * text_px)) - 2);
    layout.rows = std::min(wanted, room);
    layout.row_height =
        std::min(layout.columns.height / static_cast<float>(layout.rows + 2), 8 * text_px);
    return layout;
}

// For each thread the last row in which its value is needed; -1: never.
std::vector<int> needed_until(const Exchange& exchange)
{
    std::vector<int> until = exchange.stored_after;
    for (const ExchangeRow& row : exchange.rows)
        for (const PassedValue& handed : row.handed)
            if (handed.used)
                until[static_cast<std::size_t>(handed.from)] =
                    std::max(until[static_cast<std::size_t>(handed.from)], handed.from_row);
    return until;
}

Box square(float x, float y, float side)
{
    return {x - side / 2, y - side / 2, side, side};
}

void draw_code(Painter& painter, const Box& box, const std::vector<std::string>& code,
               const Theme& theme, float text_px)
{
    const TextStyle plain{text_px, theme.mark, false, Align::left, true};
    float y = box.y + text_px;
    for (const std::string& line : code) {
        const TextStyle style = style_fitting_code(painter, line, box.width, plain);
        painter.text({box.x, y}, fitted(painter, line, box.width, style), style);
        y += code_height * text_px;
    }
}

void draw_heads(Painter& painter, const TreeLayout& layout, const TreeData& data,
                const Theme& theme, float text_px)
{
    const float baseline = layout.columns.y - 0.45F * text_px;
    if (data.warp >= 0) {
        const TextStyle style{0.93F * text_px, theme.muted, false, Align::centre};
        const float widest = painter.text_width("31", style) + 0.2F * text_px;
        int every = 1; // lane numbers are thinned evenly if they do not fit
        while (every < row_lanes && static_cast<float>(every) * layout.slot < widest) every *= 2;
        for (int thread = layout.first; thread < layout.last; thread += every)
            painter.text({layout.x(thread), baseline}, fmt::format("{}", thread % row_lanes),
                         style);
        painter.text({layout.columns.x - 0.6F * text_px, baseline}, "lane",
                     {0.93F * text_px, theme.muted, false, Align::right});
        return;
    }
    const int warps = (layout.last + row_lanes - 1) / row_lanes;
    const float width = layout.slot * row_lanes;
    const bool words = width > 4.0F * text_px;
    for (int warp = 0; warp < warps; ++warp)
        if (words || warp % 4 == 0)
            painter.text({layout.x(warp * row_lanes) + width / 2, baseline},
                         words ? fmt::format("warp {}", warp) : fmt::format("{}", warp),
                         {0.93F * text_px, theme.muted, false, Align::centre});
}

// "from warp 4", "from 7 warps": the warps outside the drawing that sent data to this one.
std::string outside(const ExchangeRow& row, const TreeLayout& layout)
{
    std::set<int> warps;
    for (const PassedValue& handed : row.handed)
        if (layout.shows(handed.to) && !layout.shows(handed.from))
            warps.insert(handed.from / row_lanes);
    if (warps.empty()) return "";
    const char* const from = layout.narrow ? "" : "from ";
    if (warps.size() == 1) return fmt::format("{}warp {}", from, *warps.begin());
    return fmt::format("{}{} warps", from, warps.size());
}

// Line width of a row, or 0 if no value arrives in it. If few values arrive, the lines are visible
// from the back of a lecture hall, however many threads there are.
float line_px(const ExchangeRow& row, const TreeLayout& layout, float text_px)
{
    const auto arrived = std::ranges::count_if(
        row.handed, [&](const PassedValue& handed) { return layout.shows(handed.to); });
    if (arrived == 0) return 0;
    return std::min(0.05F * layout.columns.width / static_cast<float>(arrived), 0.12F * text_px);
}

// A node is at least as large as the lines that end in it.
float node_px(float line, const TreeLayout& layout)
{
    return std::max(layout.node(), 2.2F * line);
}

void draw_lines(Painter& painter, const TreeLayout& layout, const Exchange& exchange,
                const Theme& theme, float text_px)
{
    const auto until = needed_until(exchange);
    std::size_t arrived = 0;
    for (const ExchangeRow& row : exchange.rows)
        for (const PassedValue& handed : row.handed) arrived += layout.shows(handed.to) ? 1 : 0;
    // If there are many lines, they are thinner.
    const float crowded = std::clamp(std::sqrt(160.0F / static_cast<float>(arrived)), 0.4F, 1.0F);
    const float thin = std::clamp(crowded * 0.09F * layout.slot, 0.8F, 0.16F * text_px);
    for (int thread = layout.first; thread < layout.last; ++thread) {
        const int row = std::min(until[static_cast<std::size_t>(thread)], layout.rows + 1);
        if (row > 0)
            painter.line({layout.x(thread), layout.y(0)}, {layout.x(thread), layout.y(row)},
                         theme.mark.with_alpha(90), thin);
    }
    for (const bool used : {false, true}) // needed values are drawn on top
        for (int row = 1; row <= layout.rows; ++row) {
            const ExchangeRow& one = exchange.rows[static_cast<std::size_t>(row) - 1];
            const float own = line_px(one, layout, text_px);
            const float width = std::max(thin, own);
            const float node = node_px(own, layout);
            for (const PassedValue& handed : one.handed) {
                if (handed.used != used || !layout.shows(handed.to)) continue;
                // Lines of values that waited for several steps cross other lines, so they are
                // fainter.
                const bool waited = row - handed.from_row > 1;
                const Colour colour =
                    used ? theme.mark.with_alpha(waited ? 150 : 255) : theme.muted.with_alpha(110);
                const glm::vec2 end{layout.x(handed.to), layout.y(row) - node / 2};
                if (!layout.shows(handed.from)) { // a short line from the sender's side
                    const float side = handed.from < layout.first ? -1.0F : 1.0F;
                    painter.line(
                        {end.x + side * 0.35F * layout.slot, end.y - 0.4F * layout.row_height}, end,
                        theme.series[1].with_alpha(used ? 255 : 110), width);
                    continue;
                }
                // Nodes of steps are drawn over the lines; those of loads are outlines.
                const float below = handed.from_row == 0 ? node / 2 : 0;
                const glm::vec2 begin{layout.x(handed.from), layout.y(handed.from_row) + below};
                painter.line(begin, end, colour, width);
                if (layout.slot < 8) continue;
                const glm::vec2 way = end - begin;
                const float length = std::hypot(way.x, way.y);
                if (length < 1) continue;
                const glm::vec2 along = way / length;
                const glm::vec2 across{-along.y, along.x};
                const float head = std::min(0.2F * layout.slot, 0.45F * text_px);
                painter.line(end, end - head * along + 0.5F * head * across, colour, width);
                painter.line(end, end - head * along - 0.5F * head * across, colour, width);
            }
        }
}

void draw_nodes(Painter& painter, const TreeLayout& layout, const Exchange& exchange,
                const Theme& theme, float text_px)
{
    enum class State : std::uint8_t { idle, active, received, used };
    const float dot = std::max(1.0F, 0.2F * layout.node());
    for (int row = 1; row <= layout.rows; ++row) {
        const ExchangeRow& one = exchange.rows[static_cast<std::size_t>(row) - 1];
        const float node = node_px(line_px(one, layout, text_px), layout);
        std::vector<State> states(static_cast<std::size_t>(exchange.threads), State::idle);
        for (int thread = layout.first; thread < layout.last; ++thread)
            if ((one.active[static_cast<std::size_t>(thread / row_lanes)] >> thread % row_lanes &
                 1u) != 0)
                states[static_cast<std::size_t>(thread)] = State::active;
        for (const PassedValue& handed : one.handed) {
            State& state = states[static_cast<std::size_t>(handed.to)];
            state = std::max(state, handed.used ? State::used : State::received);
        }
        const float y = layout.y(row);
        for (int thread = layout.first; thread < layout.last; ++thread) {
            const float x = layout.x(thread);
            switch (states[static_cast<std::size_t>(thread)]) {
            case State::idle: painter.fill(square(x, y, dot), theme.muted.with_alpha(130)); break;
            case State::active:
                painter.outline(square(x, y, 0.6F * layout.node()), theme.muted, 1);
                break;
            case State::received:
                painter.fill(square(x, y, node), theme.background);
                painter.outline(square(x, y, node), theme.muted, 1);
                break;
            case State::used: painter.fill(square(x, y, node), theme.mark); break;
            }
        }
        for (std::size_t warp = 0; warp < one.together.size(); ++warp) {
            const std::uint32_t mask = one.together[warp];
            const int begin = static_cast<int>(warp) * row_lanes;
            if (mask == 0 || !layout.shows(begin)) continue;
            const int low = begin + std::countr_zero(mask);
            const int high = begin + row_lanes - 1 - std::countl_zero(mask);
            const float x = layout.x(low) - node / 2;
            painter.outline(
                {x, y - node / 2, layout.x(std::min(high, layout.last - 1)) + node / 2 - x, node},
                theme.series[2], std::max(1.5F, 0.1F * node));
        }
    }
}

// Draws loads from memory at the top and stores to memory at the bottom.
void draw_ends(Painter& painter, const TreeLayout& layout, const Exchange& exchange,
               const Theme& theme, float text_px)
{
    const float node = layout.node();
    const float below = layout.y(layout.rows + 1);
    std::uint64_t loaded = 0, stored = 0;
    for (int thread = layout.first; thread < layout.last; ++thread) {
        const auto index = static_cast<std::size_t>(thread);
        loaded += exchange.loaded[index];
        stored += exchange.stored[index];
        if (exchange.loaded[index] > 0)
            painter.outline(square(layout.x(thread), layout.y(0), node), theme.series[2],
                            std::max(1.0F, 0.12F * node));
        if (exchange.stored[index] > 0) {
            painter.fill(square(layout.x(thread), below, node), theme.series[2]);
            if (exchange.stored_after[index] <= layout.rows)
                painter.line({layout.x(thread), layout.y(exchange.stored_after[index])},
                             {layout.x(thread), below - node / 2}, theme.series[2].with_alpha(150),
                             std::clamp(0.09F * layout.slot, 0.8F, 0.16F * text_px));
        }
    }
    const TextStyle style{0.93F * text_px, theme.muted, false, Align::right};
    const float x = layout.columns.x - 0.6F * text_px;
    const float down = 0.28F * text_px;
    if (loaded > 0) painter.text({x, layout.y(0) + down}, "loaded", style);
    if (stored > 0) painter.text({x, below + down}, "stored", style);
}

void draw_labels(Painter& painter, const TreeLayout& layout, const Exchange& exchange,
                 const Theme& theme, float text_px)
{
    const Box& box = layout.box;
    const float size = 0.93F * text_px;
    for (int row = 1; row <= layout.rows; ++row) {
        const ExchangeRow& one = exchange.rows[static_cast<std::size_t>(row) - 1];
        const float y = layout.y(row) + 0.28F * text_px;
        painter.text({layout.columns.x - 0.6F * text_px, y},
                     one.line > 0 && !layout.narrow ? fmt::format("{}   line {}", row, one.line)
                                                    : fmt::format("{}", row),
                     {size, theme.muted, false, Align::right});
        if (const std::string from = outside(one, layout); !from.empty())
            painter.text({box.right(), y}, from, {size, theme.series[1], false, Align::right});
        if (!one.after_barrier) continue;
        const float line = layout.y(row) - layout.row_height / 2;
        painter.line({box.x, line}, {box.right(), line}, theme.grid, std::max(1.0F, text_px / 12));
    }
}

// Key of the marks drawn.
std::string key_words(const TreeLayout& layout, const Exchange& exchange)
{
    bool used = false, received = false, active = false, idle = false, barrier = false;
    for (int row = 1; row <= layout.rows; ++row) {
        const ExchangeRow& one = exchange.rows[static_cast<std::size_t>(row) - 1];
        barrier |= one.after_barrier;
        std::set<int> receivers;
        for (const PassedValue& handed : one.handed) {
            if (!layout.shows(handed.to)) continue;
            receivers.insert(handed.to);
            (handed.used ? used : received) = true;
        }
        for (int thread = layout.first; thread < layout.last; ++thread)
            if (!receivers.contains(thread))
                ((one.active[static_cast<std::size_t>(thread / row_lanes)] >> thread % row_lanes &
                  1u) == 0
                     ? idle
                     : active) = true;
    }
    std::vector<std::string> words;
    if (used) words.emplace_back("filled: received and used");
    if (received) words.emplace_back("outline: received, unused");
    if (active) words.emplace_back("small outline: receives nothing");
    if (idle) words.emplace_back("dot: idle");
    if (barrier) words.emplace_back("line across: barrier");
    return fmt::format("{}", fmt::join(words, " · "));
}

TextStyle key_style(const Theme& theme, float text_px)
{
    return {0.93F * text_px, theme.muted, false, Align::left};
}

// At least two, so that the columns are as high beside a shorter key.
std::size_t key_lines(Painter& painter, const TreeLayout& layout, const Exchange& exchange,
                      const TextStyle& style)
{
    const auto lines = broken(painter, key_words(layout, exchange), layout.box.width, style);
    return std::max<std::size_t>(2, lines.size());
}

void draw_summary(Painter& painter, const TreeLayout& layout, const TreeData& data,
                  const Theme& theme, float text_px)
{
    const Exchange& exchange = data.exchange;
    const Box& box = layout.box;
    std::size_t arrived = 0, used = 0;
    for (const ExchangeRow& row : exchange.rows)
        for (const PassedValue& handed : row.handed)
            if (layout.shows(handed.to)) ++arrived, used += handed.used ? 1 : 0;
    std::string words =
        fmt::format("{} in {}", counted(arrived, "value"), counted(exchange.rows.size(), "step"));
    const TextStyle style{0.93F * text_px, theme.text, false, Align::left};
    if (const std::string whole = data.where + ": " + words;
        !data.where.empty() && painter.text_width(whole, style) <= box.width)
        words = whole;
    const std::string needed =
        used == arrived ? "" : fmt::format(", {} of them needed for what is stored", grouped(used));
    if (painter.text_width(words + needed, style) <= box.width) words += needed;
    const std::size_t more = exchange.rows.size() - static_cast<std::size_t>(layout.rows);
    if (more > 0) words += fmt::format("; not drawn: {}", counted(more, "more step"));
    if (!exchange.complete) words += "; the block did more than was recorded";
    const TextStyle key = key_style(theme, text_px);
    const auto below = static_cast<float>(key_lines(painter, layout, exchange, key));
    float y = box.bottom() - (0.3F + 1.2F * below) * text_px;
    painter.text({box.x, y}, fitted(painter, words, box.width, style), style);
    y += 1.25F * text_px;
    for (const std::string& line : broken(painter, key_words(layout, exchange), box.width, key)) {
        painter.text({box.x, y}, line, key);
        y += 1.2F * text_px;
    }
}

} // namespace

void draw_tree(Painter& painter, const Box& box, const TreeData& data, const Theme& theme,
               float text_px)
{
    TreeLayout layout = layout_of(box, data, 2, text_px);
    const std::size_t lines = key_lines(painter, layout, data.exchange, key_style(theme, text_px));
    if (lines > 2) layout = layout_of(box, data, lines, text_px);
    draw_code(painter, box, data.code, theme, text_px);
    draw_heads(painter, layout, data, theme, text_px);
    draw_labels(painter, layout, data.exchange, theme, text_px);
    draw_lines(painter, layout, data.exchange, theme, text_px);
    draw_nodes(painter, layout, data.exchange, theme, text_px);
    draw_ends(painter, layout, data.exchange, theme, text_px);
    draw_summary(painter, layout, data, theme, text_px);
}

} // namespace lanescope::render
