// Moves by instruction and line, to barriers, blocks, warps, lines and conditions, and to the last
// write of a value.
#include "app/run/debug/moves.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "compute/simt/debug/expression.h"
#include "compute/simt/debug/inspect.h"
#include "compute/simt/debug/timeline.h"
#include "compute/simt/machine/memory/windows.h"

namespace lanescope::app {

using simt::Expression;
using simt::Timeline;
using Kind = StepMove::Kind;

namespace {

constexpr std::uint64_t the_end = ~std::uint64_t{0};

MoveResult refused(std::string why)
{
    return {Stop::refused, std::move(why)};
}

const simt::Warp& warp_of(const Timeline& t, int warp)
{
    return t.block().warps[static_cast<std::size_t>(warp)];
}

MoveResult search(const SteppedLaunch& launch, bool back, const Timeline::Probe& probe,
                  const std::string& what)
{
    Timeline& t = launch.timeline;
    const std::uint64_t here = t.position();
    const bool found = back ? t.last(0, here, probe) : t.first(here + 1, launch.end, probe);
    if (found) return {Stop::moved, fmt::format("Reached {}.", what)};
    if (!back && t.fault() != nullptr) return {Stop::fault, t.fault()->message};
    t.go_to(here);
    return {Stop::not_found, fmt::format("{} is not reached between here and the {} of the launch.",
                                         what, back ? "start" : "end")};
}

// --- By instructions and lines ---

MoveResult move_by_instructions(const SteppedLaunch& launch, const StepMove& move)
{
    Timeline& t = launch.timeline;
    const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(1, move.count));
    if (move.back)
        t.go_to(t.position() > count ? t.position() - count : 0);
    else
        t.go_to(
            std::min(launch.end, t.position() > the_end - count ? the_end : t.position() + count));
    return {};
}

bool same_line(const simt::CodeLines::Line& a, const simt::CodeLines::Line& b)
{
    return a == b || b.line == 0;
}

void line_forwards(const SteppedLaunch& launch)
{
    Timeline& t = launch.timeline;
    const simt::Inspector& inspector = launch.inspector;
    const std::uint64_t block = t.block().linear;
    const int warp = inspector.warp();
    const auto line = inspector.line();
    const int depth = inspector.call_depth();
    t.first(t.position() + 1, launch.end, [&](const Timeline& at) {
        if (at.block().linear != block || warp_of(at, warp).finished()) return true;
        if (inspector.warp() != warp) return false;
        const auto now = inspector.line();
        if (now.line == 0) return false; // in a function without line information
        return !same_line(line, now) || inspector.call_depth() != depth;
    });
}

// The last position before `limit` at which the warp started a line in its block, that is, its
// previous instruction was on another line. Empty if the warp has not run there before.
std::optional<std::uint64_t> last_line_start(const SteppedLaunch& launch, std::uint64_t limit,
                                             std::uint64_t block, int warp)
{
    Timeline& t = launch.timeline;
    const simt::Inspector& inspector = launch.inspector;
    const std::uint64_t lowest = t.block_start(limit > 0 ? limit - 1 : 0);
    for (std::uint64_t window = 1024;; window *= 8) {
        const std::uint64_t begin = limit - lowest > window ? limit - window : lowest;
        std::optional<std::uint64_t> found;
        std::optional<std::pair<simt::CodeLines::Line, int>> previous;
        t.replay(begin, limit, [&](Timeline& at) {
            if (at.block().linear != block || inspector.warp() != warp) return;
            const std::pair now{inspector.line(), inspector.call_depth()};
            if (previous && now.first.line == 0) return; // counts as the line of the call
            const bool begins =
                previous ? !same_line(previous->first, now.first) || previous->second != now.second
                         : begin == lowest;
            if (begins) found = at.position();
            if (!previous || now.first.line != 0 || previous->second != now.second) previous = now;
        });
        if (found || begin == lowest) return found;
    }
}

void line_back(const SteppedLaunch& launch)
{
    Timeline& t = launch.timeline;
    const std::uint64_t limit = t.position();
    if (!t.at_end()) {
        const auto found =
            last_line_start(launch, limit, t.block().linear, launch.inspector.warp());
        if (found) return t.go_to(*found);
    }
    // At the end, or if the warp has not run in this block before, uses the last warp that ran.
    t.go_to(limit - 1);
    const auto found = last_line_start(launch, limit, t.block().linear, launch.inspector.warp());
    t.go_to(found.value_or(limit - 1));
}

MoveResult move_by_lines(const SteppedLaunch& launch, const StepMove& move)
{
    const Timeline& t = launch.timeline;
    for (std::int64_t i = 0; i < std::max<std::int64_t>(1, move.count); ++i) {
        if (i > 0 && (move.back ? t.position() == 0 : t.at_end())) break;
        if (move.back)
            line_back(launch);
        else
            line_forwards(launch);
    }
    return {};
}

// --- To barriers, blocks and warps ---

MoveResult back_to_barrier(const SteppedLaunch& launch)
{
    Timeline& t = launch.timeline;
    const std::uint64_t here = t.position();
    const std::uint64_t block = t.block().linear;
    const std::uint64_t rounds = t.block().barrier_rounds;
    const int warp = launch.inspector.warp();
    const bool found = t.last(t.block_start(here), here, [&](const Timeline& at) {
        return at.block().linear == block && at.block().barrier_rounds < rounds &&
               launch.inspector.warp() == warp;
    });
    if (found) return {Stop::moved, "At the barrier."};
    t.go_to(t.block_start(here));
    return {Stop::moved, "There is no barrier between here and the start of the block."};
}

MoveResult to_barrier(const SteppedLaunch& launch, const StepMove& move)
{
    Timeline& t = launch.timeline;
    if (t.at_end()) {
        t.back();
        return {};
    }
    if (move.back) return back_to_barrier(launch);
    const std::uint64_t here = t.position();
    const std::uint64_t block = t.block().linear;
    const std::uint64_t rounds = t.block().barrier_rounds;
    const int warp = launch.inspector.warp();
    t.first(here + 1, launch.end, [&](const Timeline& at) {
        if (at.block().linear != block) return true;
        return at.block().barrier_rounds > rounds &&
               (launch.inspector.warp() == warp || warp_of(at, warp).finished());
    });
    if (!t.at_end() && t.block().linear == block) return {Stop::moved, "Past the barrier."};
    t.go_to(here);
    return {Stop::moved, "No further barrier in this block."};
}

MoveResult to_block_end(const SteppedLaunch& launch, const StepMove& move)
{
    Timeline& t = launch.timeline;
    const std::uint64_t here = t.position();
    if (move.back) {
        const std::uint64_t begin = t.block_start(here);
        t.go_to(begin < here ? begin : t.block_start(here - 1));
        return {};
    }
    const std::uint64_t block = t.block().linear;
    std::optional<std::uint64_t> end = t.block_end(here);
    for (std::uint64_t stretch = 1024; !end;
         stretch = std::min<std::uint64_t>(2 * stretch, 1 << 20)) {
        t.go_to(t.known() + stretch);
        end = t.block_end(here);
        if (t.complete() || t.known() >= launch.end) break;
    }
    if (!end && !launch.endless.empty()) return {};
    t.go_to(end.value_or(the_end));
    return {Stop::moved, fmt::format("Block {} has ended.", block)};
}

MoveResult to_block(const SteppedLaunch& launch, const StepMove& move)
{
    Timeline& t = launch.timeline;
    const auto begin =
        t.find_block(static_cast<std::uint64_t>(std::max<std::int64_t>(0, move.count)));
    if (!begin)
        return refused(fmt::format("The grid has blocks 0 to {}.", t.launch().grid.count() - 1));
    t.go_to(*begin);
    return {};
}

MoveResult to_warp(const SteppedLaunch& launch, const StepMove& move)
{
    const Timeline& t = launch.timeline;
    const simt::Inspector& inspector = launch.inspector;
    const bool here = !t.at_end();
    const std::uint64_t block = here ? t.block().linear : 0;
    const auto warp = static_cast<int>(std::clamp<std::int64_t>(move.count, 0, 1 << 20));
    if (here && warp >= static_cast<int>(t.block().warps.size()))
        return refused(fmt::format("The block has warps 0 to {}.", t.block().warps.size() - 1));
    if (here && !move.back && warp_of(t, warp).finished())
        return refused(fmt::format("Warp {} has finished: step back to reach it.", warp));
    if (here && inspector.warp() == warp) return {};
    return search(
        launch, move.back,
        [&](const Timeline& at) {
            return inspector.warp() == warp && (!here || at.block().linear == block);
        },
        fmt::format("warp {} of this block", warp));
}

// --- To lines, conditions, faults and breakpoints ---

bool stops(const SteppedLaunch& launch, const Breakpoint& breakpoint, const Expression* condition)
{
    const simt::Inspector& inspector = launch.inspector;
    if (breakpoint.warp && inspector.warp() != *breakpoint.warp) return false;
    const simt::CodeLines& lines = inspector.lines();
    const simt::Path& path = launch.timeline.walk().path();
    const simt::Warp& warp = warp_of(launch.timeline, inspector.warp());
    const simt::Function& function = *warp.frames[static_cast<std::size_t>(path.frame)].function;
    const auto line = lines.of(function, path.pc);
    if (line.line != breakpoint.line || line.file != lines.kernel_file()) return false;
    // The start of the line's code: a run of instructions not interrupted by other lines.
    if (path.pc > 0 && lines.of(function, path.pc - 1) == line) return false;
    return condition == nullptr || condition->holds(inspector);
}

MoveResult to_line(const SteppedLaunch& launch, const StepMove& move)
{
    const Breakpoint wanted{static_cast<int>(move.count), {}, move.warp, {}};
    if (!std::ranges::binary_search(launch.code_lines, wanted.line))
        return refused(fmt::format("Line {} has no code.", wanted.line));
    return search(
        launch, move.back, [&](const Timeline&) { return stops(launch, wanted, nullptr); },
        fmt::format("line {}", wanted.line));
}

MoveResult to_condition(const SteppedLaunch& launch, const StepMove& move)
{
    const Expression condition(move.text);
    condition.require_names(launch.inspector);
    return search(
        launch, move.back, [&](const Timeline&) { return condition.holds(launch.inspector); },
        move.text);
}

MoveResult to_fault(const SteppedLaunch& launch)
{
    Timeline& t = launch.timeline;
    const std::uint64_t here = t.position();
    t.go_to(launch.end);
    if (t.fault() != nullptr) return {Stop::fault, t.fault()->message};
    t.go_to(here);
    return {Stop::not_found, "The launch has no fault."};
}

MoveResult resume_to_breakpoint(const SteppedLaunch& launch, const StepMove& move)
{
    std::vector<std::pair<const Breakpoint*, std::optional<Expression>>> all;
    for (const Breakpoint& each : launch.breakpoints) {
        if (!each.problem.empty()) continue;
        std::optional<Expression> condition;
        if (!each.condition.empty()) condition.emplace(each.condition);
        all.emplace_back(&each, std::move(condition));
    }
    Timeline& t = launch.timeline;
    const std::uint64_t here = t.position();
    const auto probe = [&](const Timeline&) {
        return std::ranges::any_of(all, [&](const auto& one) {
            return stops(launch, *one.first, one.second ? &*one.second : nullptr);
        });
    };
    const bool found =
        !all.empty() && (move.back ? t.last(0, here, probe) : t.first(here + 1, launch.end, probe));
    if (found)
        return {Stop::breakpoint,
                fmt::format("Breakpoint at line {}.", launch.inspector.line().line)};
    if (move.back) {
        t.go_to(0);
        return {Stop::begin, "This is the start of the launch."};
    }
    if (all.empty()) t.go_to(launch.end);
    return {};
}

// --- To the last write ---

// For a register, or the lane's local memory: where its value last changed.
MoveResult to_last_change(const SteppedLaunch& launch, const StepMove& move, int warp,
                          const Expression& expression, const Expression::Value& value)
{
    Timeline& t = launch.timeline;
    const simt::Inspector& inspector = launch.inspector;
    const std::uint64_t here = t.position();
    const std::uint64_t block = t.block().linear;
    const bool found = t.last(t.block_start(here), here, [&](const Timeline& at) {
        if (at.block().linear != block || inspector.warp() != warp) return false;
        const auto there = inspector.lane_at(warp, move.lane);
        if (!there) return false;
        try {
            const auto old = expression.evaluate(inspector, *there);
            return !old || old->bytes != value.bytes;
        } catch (const Error&) {
            return true; // the variable is not in scope yet
        }
    });
    if (!found)
        return {Stop::not_found, fmt::format("{} has had this value from the start.", move.text)};
    return {Stop::moved, fmt::format("{} becomes {} here.", move.text,
                                     value.type ? simt::text_of(*value.type, value.bytes) : "")};
}

MoveResult to_last_write(const SteppedLaunch& launch, const StepMove& move)
{
    Timeline& t = launch.timeline;
    if (t.at_end() && t.fault() == nullptr)
        return refused("The launch has ended, so no lane has variables: step back first.");
    const int warp = move.warp.value_or(launch.shown_warp);
    const auto lane = launch.inspector.lane_at(warp, move.lane);
    if (!lane) return refused(fmt::format("Lane {} of warp {} has exited.", move.lane, warp));
    const Expression expression(move.text);
    const auto value = expression.evaluate(launch.inspector, *lane);
    if (!value) return {Stop::not_found, fmt::format("{} has no value here.", move.text)};
    if (!value->address || simt::space_of(*value->address) == ptx::Space::local)
        return to_last_change(launch, move, warp, expression, *value);
    const ptx::Space space = simt::space_of(*value->address);
    const simt::Place place{space, *value->address - simt::window(space),
                            static_cast<int>(std::max<std::size_t>(1, value->type->bytes)), 0,
                            t.block().linear};
    const auto found = t.last_write(place, t.position());
    if (!found)
        return {Stop::not_found,
                fmt::format("{} has not been written yet in this launch.", move.text)};
    t.go_to(found->position);
    return {Stop::moved,
            fmt::format("Lane {} of warp {} writes {} here.", found->lane, found->warp, move.text)};
}

MoveResult perform_move(const SteppedLaunch& launch, const StepMove& move)
{
    switch (move.kind) {
    case Kind::instruction: return move_by_instructions(launch, move);
    case Kind::position:
        launch.timeline.go_to(static_cast<std::uint64_t>(std::max<std::int64_t>(0, move.count)));
        return {};
    case Kind::line: return move_by_lines(launch, move);
    case Kind::barrier: return to_barrier(launch, move);
    case Kind::block: return to_block_end(launch, move);
    case Kind::fault: return to_fault(launch);
    case Kind::to_line: return to_line(launch, move);
    case Kind::to_warp: return to_warp(launch, move);
    case Kind::to_block: return to_block(launch, move);
    case Kind::condition: return to_condition(launch, move);
    case Kind::last_write: return to_last_write(launch, move);
    case Kind::resume: return resume_to_breakpoint(launch, move);
    case Kind::launch: break;
    }
    return {};
}

MoveResult stopped_at_end(const Timeline& t)
{
    if (t.fault() != nullptr) return {Stop::fault, t.fault()->message};
    return {Stop::end, "The launch has ended."};
}

// The warp's next access; empty if it is not to an array in shared or global memory.
std::optional<LineAccess> access_here(const simt::Inspector& inspector,
                                      const std::vector<NamedArray>& arrays)
{
    const auto access = inspector.next_access();
    if (!access || access->mask == 0) return {};
    const auto first = static_cast<std::size_t>(std::countr_zero(access->mask));
    const ptx::Space space =
        access->space == ptx::Space::none ? simt::space_of(access->lanes[first]) : access->space;
    if (space != ptx::Space::shared && space != ptx::Space::global) return {};
    const bool shared = space == ptx::Space::shared;
    LineAccess made;
    made.site.line = inspector.line().line;
    made.site.op = access->op;
    made.site.width_bytes = access->width_bytes;
    made.site.space = made.request.space = shared ? trace::Space::shared : trace::Space::global;
    made.request.active = access->mask;
    made.request.addresses = access->lanes;
    if (shared && access->space == ptx::Space::none)
        for (std::uint64_t& address : made.request.addresses)
            address -= simt::window(ptx::Space::shared);
    if (!shared)
        for (const NamedArray& one : arrays)
            if (access->lanes[first] >= one.begins &&
                access->lanes[first] < one.begins + one.bytes) {
                made.memory = one.name;
                made.begins = one.begins;
            }
    return made;
}

} // namespace

MoveResult go(const SteppedLaunch& launch, const StepMove& move)
{
    const Timeline& t = launch.timeline;
    if (t.at_end() && !move.back && move.kind != Kind::position && move.kind != Kind::to_block &&
        move.kind != Kind::last_write)
        return stopped_at_end(t);
    if (t.position() == 0 && move.back) return {Stop::begin, "This is the start of the launch."};
    MoveResult result = perform_move(launch, move);
    if (!launch.endless.empty() && !move.back && t.known() >= launch.end &&
        (result.stop == Stop::not_found || t.position() >= launch.end))
        return {Stop::fault, launch.endless};
    return t.at_end() && result.stop == Stop::moved ? stopped_at_end(t) : result;
}

std::optional<LineAccess> look_ahead(const SteppedLaunch& launch,
                                     const std::vector<NamedArray>& arrays)
{
    constexpr std::uint64_t farthest = 512;
    Timeline& t = launch.timeline;
    const simt::Inspector& inspector = launch.inspector;
    if (t.at_end() || t.walk().state().running == nullptr) return {};
    const std::uint64_t here = t.position();
    const std::uint64_t block = t.block().linear;
    const int warp = inspector.warp();
    const auto line = inspector.line();
    std::optional<LineAccess> found;
    t.first(here, here + farthest, [&](const Timeline& at) {
        if (at.block().linear != block) return true;
        if (inspector.warp() != warp) return warp_of(at, warp).finished();
        if (inspector.line().line != 0 && inspector.line() != line) return true;
        found = access_here(inspector, arrays);
        return found.has_value();
    });
    t.go_to(here);
    return found;
}

StepMove move_of_warp(const StepMove& move, const DebugFrame& frame, int warp)
{
    const bool waits = !frame.at_end && warp >= 0 && warp != frame.warp &&
                       warp < std::ssize(frame.warps) &&
                       !frame.warps[static_cast<std::size_t>(warp)].finished;
    if (!waits) return move;
    return {.kind = Kind::to_warp, .back = move.back, .count = warp};
}

} // namespace lanescope::app
