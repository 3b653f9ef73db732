// Which threads of a block received values from which others, through shuffles or memory.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/document/look/subject.h"
#include "app/draw/subjects/subject_drawing.h"
#include "compute/numbers.h"
#include "render/views/tree.h"

namespace lanescope::app {
namespace {

void count_tree(const Look& look, Counting& counting)
{
    counting.tree = look.request.named_warp();
}

bool tree_is_counted(const SideFrame& side, const Look&)
{
    return side.exchange != nullptr;
}

std::string where_tree(const SideFrame& side, const Look& look)
{
    if (!side.exchange || side.exchange->rows.empty()) return {};
    const std::int64_t warp = side.counted.tree.value_or(0);
    std::string where =
        warp_title(static_cast<std::uint64_t>(warp), side.facts.grid, side.facts.block);
    if (look.tree_block)
        where = fmt::format("{}, {} threads", where.substr(0, where.find("),") + 1),
                            side.exchange->threads);
    return where + recorded_step_note(side);
}

// Source lines of the steps, if few enough to read.
std::vector<std::string> code_of(const SideFrame& side, const trace::Exchange& exchange)
{
    constexpr std::size_t max_lines = 2;
    std::vector<int> lines;
    for (const trace::ExchangeRow& row : exchange.rows)
        if (std::ranges::find(lines, row.line) == lines.end()) lines.push_back(row.line);
    std::vector<std::string> code;
    if (lines.size() > max_lines) return code;
    for (const int line : lines)
        if (std::string text = code_line(side, line); !text.empty())
            code.push_back(std::move(text));
    return code;
}

void paint_tree(const SubjectPaper& paper)
{
    const SideFrame& side = paper.side;
    if (!side.exchange)
        return paper.say(side.counting_problem.empty() ? "The next step records the data exchange."
                                                       : side.counting_problem);
    const trace::Exchange& exchange = *side.exchange;
    if (exchange.rows.empty())
        return paper.say("No thread of this block received data from another: each works alone. "
                         "M: what its source lines move.");
    const std::int64_t warp = side.counted.tree.value_or(0);
    render::draw_tree(paper.painter, paper.inside,
                      {exchange,
                       paper.look.tree_block ? -1 : static_cast<int>(warp % exchange.warps()),
                       paper.where, code_of(side, exchange)},
                      paper.theme, paper.text_px);
}

// Moves between warps; up and down switch between the warp and its block.
void move_tree(const SubjectView& view, const Move& by, Commands& out)
{
    if (by.request != 0) return;
    if (by.up != 0) return out.push_back(ShowTree{by.up > 0});
    RequestChoice choice = view.look.request;
    choice.warp = std::clamp<std::int64_t>(choice.named_warp() + by.right, 0,
                                           std::max<std::int64_t>(view.side.facts.warps() - 1, 0));
    out.push_back(ShowRequest{choice});
}

void tree_controls(const SubjectView& view, Controls& out)
{
    const RequestChoice choice = view.look.request;
    const std::int64_t warps = view.side.facts.warps();
    out.push_back(number("warp",
                         fmt::format("warp (of {})", grouped(static_cast<std::uint64_t>(warps))),
                         choice.named_warp(), warps - 1, [choice](std::int64_t to) {
                             return ShowRequest{{choice.site, to, choice.request}};
                         }));
    out.push_back(
        toggle("whole block", view.look.tree_block, [](bool on) { return ShowTree{on}; }));
    out.push_back(note("Each line is a value that a thread received from another one, by shuffle "
                       "or through memory, as executed."));
}

// The lab's cost, with the share of its instructions that go to shared memory.
std::optional<Cost> cost_of_exchange(const SideFrame& side, const Look&)
{
    auto cost = judged_cost(side);
    const auto& judged = side.lab->opens.cost;
    const double items = side.facts.work.items * side.variant->steps;
    if (!cost || !judged->ratio || *judged->ratio != labs::Ratio::instructions_per_item ||
        items <= 0)
        return cost;
    const trace::Totals totals = side.trace->totals();
    const auto requests = static_cast<double>(
        totals.shared_load.requests + totals.shared_store.requests + totals.shared_atomic.requests);
    constexpr double lanes = 32;
    cost->meaning += requests == 0 ? ", none of them on shared memory"
                                   : fmt::format(", {} of them on shared memory",
                                                 significant(requests * lanes / items));
    return cost;
}

} // namespace

const SubjectKind tree_subject{.title = "Exchange",
                               .question = "Which thread receives values from which?",
                               .needs_simt = true,
                               .smooth_lines = true,
                               .count = count_tree,
                               .counted = tree_is_counted,
                               .paint = paint_tree,
                               .where = where_tree,
                               .captions_itself = true,
                               .cost = cost_of_exchange,
                               .move = move_tree,
                               .controls = tree_controls};

} // namespace lanescope::app
