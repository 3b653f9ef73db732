// Converts a debugger's frame to the data of render/views/stepping.h.
#include "app/draw/stepping.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <tuple>

#include "app/document/experiment/request.h"
#include "app/document/values/text_lines.h"
#include "app/draw/scene/maps.h"
#include "app/draw/scene/scene.h"
#include "app/run/debug/debug_frame.h"
#include "app/run/debug/why_tree.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

using render::SteppedLane;
using render::SteppedMark;
using simt::LaneState;

constexpr const char* launch_keys =
    "← → line    ⇧← ⇧→ instruction    B barrier    End block    ↑ ↓ warp    P why?    I leave";

SteppedLane lane_of(LaneState state)
{
    switch (state) {
    case LaneState::runs: return SteppedLane::runs;
    case LaneState::ready: return SteppedLane::ready;
    case LaneState::waits: return SteppedLane::waits;
    case LaneState::exited: return SteppedLane::exited;
    case LaneState::missing: break;
    }
    return SteppedLane::missing;
}

std::string spaces_for_tabs(std::string_view text)
{
    std::string plain;
    for (const char c : text)
        if (c == '\t')
            plain += "    ";
        else
            plain += c;
    return plain;
}

// Joins lines: a PTX instruction may span several.
std::string in_one_line(std::string_view text)
{
    std::string plain;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank)
            plain += c;
        else if (!plain.empty() && plain.back() != ' ')
            plain += ' ';
    }
    return plain;
}

std::vector<render::SteppedLine> code_of(const DebugFrame& frame, const simt::WarpView* shown)
{
    std::vector<render::SteppedLine> lines;
    for (const std::string_view text : lines_of(*frame.source)) {
        const int number = static_cast<int>(lines.size()) + 1;
        lines.push_back(
            {number, spaces_for_tabs(text), std::ranges::binary_search(*frame.code_lines, number)});
    }
    const auto at = [&](int line) -> render::SteppedLine* {
        return line > 0 && line <= std::ssize(lines) ? &lines[static_cast<std::size_t>(line) - 1]
                                                     : nullptr;
    };
    for (const simt::WarpView& warp : frame.warps)
        for (const simt::PathView& path : warp.paths)
            if (render::SteppedLine* const line = at(path.in_source().line)) line->waits = true;
    if (shown && !shown->paths.empty())
        if (render::SteppedLine* const line = at(shown->paths.front().in_source().line))
            line->current = true;
    for (const Breakpoint& breakpoint : frame.breakpoints)
        if (render::SteppedLine* const line = at(breakpoint.line))
            line->breakpoint = breakpoint.problem.empty();
    return lines;
}

// Instructions and labels, without debug directives.
std::vector<render::SteppedLine> ptx_of(const DebugFrame& frame, const simt::WarpView* shown)
{
    std::vector<render::SteppedLine> lines;
    const int current = shown && !shown->paths.empty() ? shown->paths.front().at.ptx_line : 0;
    int number = 0;
    for (const std::string_view text : lines_of(*frame.ptx)) {
        ++number;
        const std::size_t begin = text.find_first_not_of(" \t");
        if (begin == std::string_view::npos) continue;
        const std::string_view rest = text.substr(begin);
        const bool reported = rest.starts_with('.') || rest.starts_with("//") ||
                              rest.starts_with('{') || rest.starts_with('}');
        if (reported && number != current) continue;
        lines.push_back({.number = number,
                         .text = spaces_for_tabs(rest),
                         .has_code = !rest.ends_with(':'),
                         .current = number == current});
    }
    return lines;
}

render::SteppedRow row_of(const std::string& name, const simt::LaneValues& values,
                          std::uint32_t changed)
{
    render::SteppedRow row{.name = name, .with = values.lanes_with, .changed = changed};
    for (int lane = 0; lane < simt::warp_lanes; ++lane)
        if ((values.lanes_with >> lane & 1U) != 0)
            row.lanes[static_cast<std::size_t>(lane)] = values.text(lane);
    return row;
}

std::vector<render::SteppedRow> rows_of(const DebugFrame& frame)
{
    std::vector<render::SteppedRow> rows;
    const auto is_shared = [&](const std::string& name) { // these are drawn as grids instead
        return std::ranges::find(frame.shared, name, &DebuggedArray::name) != frame.shared.end();
    };
    for (const bool parameters : {false, true})
        for (const DebuggedVariable& one : frame.variables)
            if (one.is_parameter == parameters && one.values.lanes_with != 0 &&
                !is_shared(one.name))
                rows.push_back(row_of(one.name, one.values, one.changed));
    if (frame.text == SteppedText::as_optimised)
        for (std::size_t i = 0; i < frame.registers.size(); ++i) {
            const simt::RegisterView& one = frame.registers[i];
            render::SteppedRow row{
                .name = one.name, .with = one.lanes_with, .changed = frame.registers_changed[i]};
            for (std::size_t lane = 0; lane < render::stepped_lanes; ++lane)
                if ((one.lanes_with >> lane & 1U) != 0)
                    row.lanes[lane] = simt::text_of(one.type, one.lanes[lane]);
            rows.push_back(std::move(row));
        }
    return rows;
}

// Type of one word, and the number of words per row.
const ptx::SourceType* element_of(const simt::SharedArray& array, int& columns)
{
    const ptx::SourceType* type = array.type.get();
    columns = static_cast<int>(std::max<std::size_t>(array.bytes / 4, 1));
    if (type && type->kind == ptx::SourceType::Kind::array) {
        if (type->extents.size() > 1 && type->extents.back() > 0 && type->element)
            columns = static_cast<int>(type->extents.back() * type->element->bytes / 4);
        type = type->element.get();
    }
    return type && type->bytes == 4 ? type : nullptr;
}

render::SteppedArray array_of(const DebugFrame& frame, const DebuggedArray& array)
{
    constexpr std::size_t max_words = 4096;
    render::SteppedArray made;
    made.name = array.name;
    const ptx::SourceType* const type = element_of(array, made.columns);
    made.columns = std::max(made.columns, 1);
    const std::size_t words = std::min(array.contents.size() / 4, max_words);
    made.changed.resize(words);
    made.accessed.resize(words);
    made.shades.resize(words);
    std::vector<double> numbers(words);
    for (std::size_t i = 0; i < words; ++i) {
        const std::span<const std::byte> bytes(array.contents.data() + 4 * i, 4);
        std::uint32_t bits = 0;
        std::memcpy(&bits, bytes.data(), 4);
        const bool real = !type || type->kind == ptx::SourceType::Kind::real;
        float value = 0;
        std::memcpy(&value, &bits, 4);
        numbers[i] = real ? static_cast<double>(value)
                          : static_cast<double>(static_cast<std::int32_t>(bits));
        if (!std::isfinite(numbers[i])) numbers[i] = 0;
        made.values.push_back(type ? simt::text_of(*type, bytes) : fmt::format("0x{:08x}", bits));
    }
    if (words > 0) {
        const auto [min, max] = std::ranges::minmax(numbers);
        for (std::size_t i = 0; i < words; ++i)
            made.shades[i] = max > min ? static_cast<float>((numbers[i] - min) / (max - min)) : 0;
    }
    for (const std::uint32_t offset : array.changed)
        if (offset / 4 < words) made.changed[offset / 4] = 1;
    if (!frame.line_access || frame.shown != frame.warp ||
        frame.line_access->site.space != trace::Space::shared)
        return made;
    const trace::WatchedRequest& request = frame.line_access->request;
    for (std::size_t lane = 0; lane < simt::warp_lanes; ++lane) {
        if ((request.active >> lane & 1U) == 0) continue;
        const std::uint64_t address = request.addresses[lane];
        if (address < array.offset) continue;
        const std::uint64_t first = (address - array.offset) / 4;
        const auto wide =
            static_cast<std::uint64_t>(std::max(frame.line_access->site.width_bytes / 4, 1));
        for (std::uint64_t word = first; word < std::min<std::uint64_t>(first + wide, words);
             ++word)
            made.accessed[word] = 1;
    }
    return made;
}

void show_access(const LineAccess& access, render::SteppingView& view)
{
    view.banks = access.site.space == trace::Space::shared;
    view.access_cost = cost_text(access.request, access.site);
    view.access = render::WarpAccess{.addresses = access.request.addresses,
                                     .active = access.request.active,
                                     .width_bytes = access.site.width_bytes,
                                     .paid = cost_of(access.request, access.site).paid,
                                     .title = fmt::format("{} {}: {}", name(access.site.space),
                                                          name(access.site.op), view.access_cost),
                                     .memory = access.memory,
                                     .begins = access.begins};
}

void mark_launch(const DebugFrame& frame, render::SteppingView& view)
{
    const auto all = static_cast<double>(std::max<std::uint64_t>(frame.known, 1));
    const auto share = [&](std::uint64_t position) {
        return static_cast<float>(std::min(1.0, static_cast<double>(position) / all));
    };
    // While the end is unknown, the known part takes half of the bar.
    const float scale = frame.complete ? 1.0F : 0.5F;
    view.at = scale * share(frame.position);
    view.known = scale;
    for (std::size_t i = 0; i < frame.marks.bins.size(); ++i) {
        const simt::TimelineBin& bin = frame.marks.bins[i];
        const float at = scale * share(i * frame.marks.width + frame.marks.width / 2);
        if (bin.barrier) view.marks.push_back({SteppedMark::Kind::barrier, at});
        if (bin.divergence) view.marks.push_back({SteppedMark::Kind::divergence, at});
    }
    if (frame.fault_at)
        view.marks.push_back({SteppedMark::Kind::fault, scale * share(*frame.fault_at)});
    view.fault = "fault";
}

std::string exited_words(const simt::WarpView& warp)
{
    std::uint32_t gone = 0;
    for (int lane = 0; lane < simt::warp_lanes; ++lane)
        if (warp.lanes[static_cast<std::size_t>(lane)] == LaneState::exited) gone |= 1U << lane;
    if (gone == 0 || warp.finished) return {};
    return fmt::format("{} {} exited", simt::format_lanes(gone),
                       std::has_single_bit(gone) ? "has" : "have");
}

std::string title_of(const DebugFrame& frame, bool with_warp)
{
    const std::string title = fmt::format("{}: {}", frame.lab, frame.variant);
    if (!with_warp) return title;
    if (frame.grid.y == 1 && frame.grid.z == 1)
        return title + fmt::format(", block {}, warp {}", frame.block.x, frame.shown);
    return title + fmt::format(", block ({}, {}{}), warp {}", frame.block.x, frame.block.y,
                               frame.grid.z > 1 ? fmt::format(", {}", frame.block.z) : "",
                               frame.shown);
}

// Says why the launch stopped here, or which text is being stepped.
std::string status_text(const DebugFrame& frame)
{
    if (frame.stop != Stop::start && !frame.sentence.empty()) return frame.sentence;
    if (!frame.step_note.empty()) return frame.step_note;
    if (!frame.text_note.empty()) return frame.text_note;
    return frame.text == SteppedText::as_written ? "as written (compiled with -G)"
                                                 : "as optimised: the code that a GPU runs";
}

void show_lanes(const DebugFrame& frame, const simt::WarpView& shown, render::SteppingView& view)
{
    for (std::size_t lane = 0; lane < render::stepped_lanes; ++lane) {
        view.lanes[lane] = lane_of(shown.lanes[lane]);
        view.path[lane] = shown.path[lane];
    }
    for (const simt::PathView& path : shown.paths) view.words.push_back(path.words);
    if (shown.finished) view.words.emplace_back("The warp has finished.");
    if (std::string gone = exited_words(shown); !gone.empty())
        view.words.push_back(std::move(gone));
    if (shown.runs_next) view.instruction = in_one_line(frame.place.ptx);
}

} // namespace

render::SteppingView stepping_view(const DebugFrame& frame, const Look& look)
{
    render::SteppingView view;
    if (!frame.problem.empty()) {
        view.title = "Nothing to step";
        view.said = frame.problem;
        view.bad = view.whole = true;
        return view;
    }
    const simt::WarpView* const shown = frame.shown < std::ssize(frame.warps)
                                            ? &frame.warps[static_cast<std::size_t>(frame.shown)]
                                            : nullptr;
    view.title = title_of(frame, shown != nullptr);
    view.where = fmt::format(
        "step {}{}, instruction {} of {}{}", grouped(static_cast<std::uint64_t>(frame.step)),
        frame.launches > 1 ? fmt::format(", launch {} of {}", frame.launch + 1, frame.launches)
                           : "",
        grouped(frame.position), frame.complete ? "" : "at least ", grouped(frame.known));
    view.said = status_text(frame);
    view.bad = frame.stop == Stop::fault || frame.stop == Stop::refused;
    view.keys = launch_keys;
    if (!look.code_is_beside()) view.code = code_of(frame, shown);
    if (look.step.ptx) view.ptx = ptx_of(frame, shown);
    view.lane = look.step.lane;
    if (shown)
        show_lanes(frame, *shown, view);
    else
        view.lanes.fill(SteppedLane::missing);
    view.rows = rows_of(frame);
    if (frame.line_access && frame.shown == frame.warp) show_access(*frame.line_access, view);
    for (const DebuggedArray& array : frame.shared)
        if (array.contents.size() >= 4) view.arrays.push_back(array_of(frame, array));
    for (const simt::WarpView& warp : frame.warps)
        view.warps.push_back({.words = warp.finished ? "done" : warp.words,
                              .line = warp.paths.empty() ? 0 : warp.paths.front().in_source().line,
                              .shown = &warp == shown,
                              .next = warp.runs_next,
                              .done = warp.finished});
    mark_launch(frame, view);
    return view;
}

std::vector<int> nodes_in_order(const WhyTree& tree)
{
    std::vector<int> order;
    std::vector<bool> seen(tree.nodes.size());
    std::vector<int> open;
    if (!tree.nodes.empty()) open.push_back(0);
    while (!open.empty()) {
        const int node = open.back();
        open.pop_back();
        if (seen[static_cast<std::size_t>(node)]) continue;
        seen[static_cast<std::size_t>(node)] = true;
        order.push_back(node);
        const std::vector<int>& children = tree.nodes[static_cast<std::size_t>(node)].children;
        open.insert(open.end(), children.rbegin(), children.rend());
    }
    return order;
}

render::SliceView slice_view(const WhyTree& tree, const StepChoice& step)
{
    render::SliceView view;
    view.title =
        fmt::format("Why does {} have this value{}?", tree.place.empty() ? "it" : tree.place,
                    tree.step > 0 ? fmt::format(" after step {}",
                                                grouped(static_cast<std::uint64_t>(tree.step)))
                                  : "");
    view.said = tree.problem;
    view.bad = !tree.problem.empty();
    view.keys = "↑ ↓ through the tree    Enter go there    P another element    I leave";
    if (view.bad || tree.nodes.empty()) {
        if (view.said.empty()) view.said = "Nothing wrote it.";
        return view;
    }
    view.said = tree.complete
                    ? fmt::format("Each line's value was computed from those below it: {}.",
                                  counted(static_cast<std::uint64_t>(tree.operations), "operation"))
                    : "Its history is too long to follow.";
    // Each node is indented below the first node that uses it.
    std::vector<int> depth(tree.nodes.size(), -1);
    depth[0] = 0;
    const std::vector<int> order = nodes_in_order(tree);
    for (const int node : order)
        for (const int child : tree.nodes[static_cast<std::size_t>(node)].children)
            if (int& at = depth[static_cast<std::size_t>(child)]; at < 0)
                at = depth[static_cast<std::size_t>(node)] + 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const WhyNode& node = tree.nodes[static_cast<std::size_t>(order[i])];
        std::string words = node.words;
        if (!node.via.empty()) words += ", " + node.via;
        view.lines.push_back({.depth = std::max(depth[static_cast<std::size_t>(order[i])], 0),
                              .value = node.value,
                              .source = in_one_line(node.source),
                              .words = words,
                              .leaf = node.is_leaf,
                              .chosen = static_cast<int>(i) == step.node});
    }
    return view;
}

SteppedHits draw_stepping(Scene& scene, const Sheet& sheet, const SteppedShown& stepped)
{
    SteppedHits hits;
    Sheet bare = sheet;
    bare.caption = {};
    scene.paint(bare, [&](const Scene::Paper& paper) {
        if (sheet.look.step.page == StepChoice::Page::why) {
            render::SliceView view;
            if (stepped.why)
                view = slice_view(*stepped.why, sheet.look.step);
            else
                std::tie(view.title, view.said) =
                    std::pair("Why does it have this value?",
                              "Repeating the steps and following the values …");
            hits.why =
                render::draw_slice(paper.painter, paper.inside, view, paper.theme, sheet.text_px);
            return;
        }
        render::SteppingView view;
        if (stepped.frame) {
            view = stepping_view(*stepped.frame, sheet.look);
        } else {
            view.title = sheet.caption.title;
            view.said = "Running the step once, so that it can be stepped through …";
            view.whole = true;
        }
        hits.launch =
            render::draw_stepping(paper.painter, paper.inside, view, paper.theme, sheet.text_px);
    });
    return hits;
}

} // namespace lanescope::app
