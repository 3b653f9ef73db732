// Barriers count lanes, warp by warp. Exited threads don't count (as on hardware since Volta);
// lanes that don't exist count with the rest of their warp.
#include "compute/simt/operations/barriers.h"

#include <fmt/format.h>

#include "compute/simt/checks/faults/barrier_warnings.h"
#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

// Function::operands of a barrier: rows[0] number, rows[1] threads (optional), rows[2] predicate,
// rows[3] result.
constexpr int number_row = 0, threads_row = 1, predicate_row = 2, result_row = 3;
// Operands::values: the kind, and whether all lanes of the warp must arrive together.
constexpr int kind_value = 0, aligned_value = 1;

bool complete(const Block& block, const Barrier& barrier)
{
    std::uint32_t threads = 0;
    // Backwards: warps run in order, so a missing one is usually among the last.
    for (std::size_t i = block.warps.size(); i-- > 0;) {
        const Warp& warp = block.warps[i];
        const std::uint32_t arrived = barrier.arrived[i];
        if (barrier.expected == 0) {
            if ((arrived | warp.exited) != full_mask) return false;
        } else if (arrived != 0) {
            threads += static_cast<std::uint32_t>(std::popcount(arrived | warp.exited));
        }
    }
    return barrier.expected == 0 || threads >= barrier.expected;
}

void write_reduction(Warp& warp, const Path& path, const Barrier& barrier)
{
    const Frame& frame = warp.frames[path.frame];
    const Instruction& in = frame.function->code[path.pc - 1];
    const Operands& operands = frame.function->operands[in.extra];
    const RowRef ref = operands.rows[result_row];
    if (ref == no_row) return;
    std::byte* row = warp.rows.data() + frame.rows_begin + ref;
    const auto kind = static_cast<BarrierKind>(operands.values[kind_value]);
    if (kind == BarrierKind::red_popc) {
        for (std::uint32_t rest = path.mask; rest != 0; rest &= rest - 1)
            reinterpret_cast<std::uint32_t*>(row)[lowest_lane(rest)] = barrier.count;
        return;
    }
    auto& predicate = *reinterpret_cast<std::uint32_t*>(row);
    const bool value = kind == BarrierKind::red_and ? barrier.all : barrier.any;
    predicate = value ? predicate | path.mask : predicate & ~path.mask;
}

void open_gate(Executor& x, int number)
{
    Barrier& barrier = x.block->barriers[static_cast<std::size_t>(number)];
    if (x.barrier_warnings != nullptr && number == 0 && barrier.expected == 0)
        x.barrier_warnings->opens(x);
    for (Observer* observer : x.observers) observer->barrier_opens(x, barrier);
    for (Warp& warp : x.block->warps)
        for (Path& path : warp.paths)
            if (path.live && path.wait == Wait::barrier && path.barrier == number) {
                write_reduction(warp, path, barrier);
                path.wait = Wait::none;
            }
    barrier = Barrier{};
    x.block->open_barriers &= ~(1u << number);
    ++x.block->barrier_rounds;
}

Barrier& barrier_of(Executor& x, const Instruction& in, const Operands& operands,
                    std::uint32_t mask, int& number)
{
    const int lane = lowest_lane(mask);
    const std::uint32_t asked = x.row<const std::uint32_t>(operands.rows[number_row])[lane];
    if (asked >= block_barriers)
        x.fault(in, "barrier", lane, 0,
                fmt::format("uses barrier {}; there are only 0 to 15", asked));
    number = static_cast<int>(asked);
    Barrier& barrier = x.block->barriers[asked];
    const RowRef count = operands.rows[threads_row];
    const std::uint32_t threads = count == no_row ? 0 : x.row<const std::uint32_t>(count)[lane];
    if (threads % warp_lanes != 0)
        x.fault(in, "barrier", lane, 0,
                fmt::format("uses barrier {} for {} threads, which is not a multiple of 32", number,
                            threads));
    if (barrier.open && barrier.expected != threads)
        x.fault(
            in, "barrier", lane, 0,
            fmt::format(
                "uses barrier {} for {} threads while others use it for {} (0: the whole block)",
                number, threads, barrier.expected));
    barrier.open = true;
    x.block->open_barriers |= 1u << asked;
    barrier.expected = threads;
    return barrier;
}

// Lanes of the warp that can't arrive at this barrier together with `mask`. Lanes released early
// (Warp::ahead) wait here for the others, which are still expected unless they wait at a different
// barrier.
std::uint32_t lanes_on_other_paths(const Executor& x, const Instruction& in, std::uint32_t mask)
{
    Warp& warp = *x.warp;
    const std::uint32_t missing = full_mask & ~warp.exited & ~mask;
    if (missing == 0) warp.ahead = 0;
    if (warp.ahead == 0) return missing;
    std::uint32_t elsewhere = 0;
    for (const Path& path : warp.paths)
        if (path.live && path.wait == Wait::barrier &&
            (path.pc != x.pc_of(in) + 1 || warp.frames[path.frame].function != x.function))
            elsewhere |= path.mask;
    return elsewhere;
}

template <BarrierKind kind>
Flow barrier(Executor& x, const Instruction& in, std::uint32_t mask)
{
    if (split_guarded(x, in, mask)) return Flow::reload;
    const Operands& operands = x.function->operands[in.extra];
    Warp& warp = *x.warp;
    int number = 0;
    Barrier& gate = barrier_of(x, in, operands, mask, number);
    if (x.launch.options.checks.divergent_barriers && operands.values[aligned_value] != 0) {
        const std::uint32_t missing = lanes_on_other_paths(x, in, mask);
        if (missing != 0)
            x.fault(in, "barrier", lowest_lane(mask), 0,
                    fmt::format("reaches barrier {} without thread {} of its warp, which has taken "
                                "another path",
                                number, text(x.thread_index(warp, lowest_lane(missing)))));
    }
    for (Observer* observer : x.observers) observer->barrier_arrives(x, in, mask);
    gate.arrived[static_cast<std::size_t>(warp.index)] |= mask;
    if constexpr (kind == BarrierKind::red_popc || kind == BarrierKind::red_and ||
                  kind == BarrierKind::red_or) {
        std::uint32_t values = *x.row<const std::uint32_t>(operands.rows[predicate_row]);
        if (operands.inverted) values = ~values;
        gate.count += static_cast<std::uint32_t>(std::popcount(values & mask));
        gate.any = gate.any || (values & mask) != 0;
        gate.all = gate.all && (values & mask) == mask;
    }
    Path& path = x.path();
    const bool waits = kind != BarrierKind::arrive;
    if (waits) {
        path.pc = x.pc_of(in) + 1;
        path.wait = Wait::barrier;
        path.barrier = static_cast<std::uint8_t>(number);
    }
    if (complete(*x.block, gate)) open_gate(x, number);
    if (!waits) return Flow::next;
    return path.wait == Wait::none ? Flow::jump : Flow::reload;
}

} // namespace

void complete_barriers(Executor& x)
{
    for (std::uint32_t open = x.block->open_barriers; open != 0; open &= open - 1) {
        const int number = lowest_lane(open);
        if (complete(*x.block, x.block->barriers[static_cast<std::size_t>(number)]))
            open_gate(x, number);
    }
}

bool split_guarded(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const Path& path = x.path();
    const std::uint32_t rest = path.mask & ~mask;
    if (rest == 0) return false;
    const int pc = x.pc_of(in);
    const std::array<Side, 2> sides{Side{pc + 1, rest}, Side{pc, mask, true}};
    diverge(*x.warp, x.path_index, sides, pc + 1);
    return true;
}

Handlers barrier_handlers(BarrierKind kind)
{
    switch (kind) {
    case BarrierKind::sync: return same<barrier<BarrierKind::sync>>();
    case BarrierKind::arrive: return same<barrier<BarrierKind::arrive>>();
    case BarrierKind::red_popc: return same<barrier<BarrierKind::red_popc>>();
    case BarrierKind::red_and: return same<barrier<BarrierKind::red_and>>();
    default: return same<barrier<BarrierKind::red_or>>();
    }
}

} // namespace lanescope::simt
