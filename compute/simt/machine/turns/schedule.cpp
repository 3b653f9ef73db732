// Scheduling: the warps of a block take turns, each until a barrier, its end or the end of its
// slice; within a warp, any runnable path. The order is fixed, so every run is the same.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/machine/state/specials.h"
#include "compute/simt/machine/turns/pool.h"
#include "compute/simt/machine/turns/rounds.h"
#include "compute/simt/machine/turns/stuck.h"
#include "compute/simt/native/native.h"
#include "compute/simt/native/straight.h"
#include "compute/simt/operations/control/cluster_barrier.h"
#include "compute/simt/operations/cross_lane.h"
#include "compute/simt/operations/memory/bulk_transfers.h"
#include "compute/threads.h"
#include "compute/trace/findings.h"

namespace lanescope::simt {

namespace {

// "0, 4-31"
std::string lane_list(std::uint32_t mask)
{
    std::string list;
    for (int lane = 0; lane < warp_lanes; ++lane) {
        if ((mask >> lane & 1u) == 0) continue;
        const int first = lane;
        while (lane + 1 < warp_lanes && (mask >> (lane + 1) & 1u) != 0) ++lane;
        list += list.empty() ? "" : ", ";
        list += std::to_string(first);
        if (lane > first) list += fmt::format("{}{}", lane == first + 1 ? ", " : "-", lane);
    }
    return list;
}

// Ends a slice in favour of another path. Spinning lanes may be waiting for a lane that is held at
// a reconvergence point.
void rotate(Warp& warp)
{
    const bool spins = warp.slice_spins != 0;
    warp.slice_spins = 0;
    const int count = static_cast<int>(warp.paths.size());
    for (int i = 1; i < count; ++i) {
        const int candidate = (warp.current + count - i) % count;
        if (warp.paths[candidate].runnable()) {
            warp.current = candidate;
            return;
        }
    }
    if (spins) release_arrived(warp);
}

// Returns true if the launch's time is over and this warp has used some of it. Polled only every 32
// entries, because warps that meet at barriers are entered so often. A warp that is about to start
// may run first, otherwise its first line would be blamed for another warp's loop; but only a
// limited number of warps may.
bool exceeded_time_limit(Executor& x, const Warp& warp)
{
    constexpr std::uint64_t every = 32; // at most this many × cancel_interval instructions
    constexpr int max_exempt_starts = 1024;
    if (x.launch.limit_s <= 0) return false;
    if (x.started_after_limit == 0 && (x.entered % every != 0 || !x.is_over_time())) return false;
    return warp.warp_instructions > 0 || ++x.started_after_limit > max_exempt_starts;
}

// Wakes the other threads once the launch has run long enough to benefit;
// polled every `every` instructions.
void maybe_wake_helpers(Executor& x)
{
    constexpr double long_enough_s = 1e-3;
    constexpr std::uint64_t every = 256; // warp instructions
    const bool is_long = x.since.passed(long_enough_s);
    x.wake_helpers_at = is_long ? Executor::never : x.block->steps + every;
    if (is_long) x.others->wake_helpers();
}

[[noreturn]] void fault_over_time(const Executor& x, const Instruction& in, int lane)
{
    x.fault(in, "time_limit", lane, 0,
            fmt::format("was stopped after {} s, the launch's time limit", x.launch.limit_s));
}

// Runs the warp for at most one slice. Returns false if it could not progress.
bool run_warp(Executor& x, Warp& warp)
{
    bool ran = false, passed = false;
    const bool polls = x.launch.program.cooperative || x.launch.clustered();
    const std::uint64_t slice = polls ? cooperative_warp_slice : warp_slice;
    const std::uint64_t end = warp.warp_instructions + slice;
    for (;;) {
        const int index = choose_path(warp);
        if (index < 0) {
            if (warp.finished() || !resolve_lanes(x, warp)) return ran;
            ran = true;
            continue;
        }
        ran = true;
        yield_to_page();
        x.launch.check_cancelled();
        x.enter(warp, index);
        if (exceeded_time_limit(x, warp))
            fault_over_time(x, x.function->code[static_cast<std::size_t>(x.path().pc)],
                            lowest_lane(x.path().mask));
        const Outcome outcome =
            run_path(x, std::min(end - warp.warp_instructions, cancel_interval));
        if (warp.object_wait.parked) {
            park(x, warp);
            return true;
        }
        // Tried once per turn: a loop with side effects probably has
        // side effects in every iteration.
        if (outcome == Outcome::slice_over && warp.slice_spins != 0 && !std::exchange(passed, true))
            skip_spin_iterations(x, end);
        if (x.block->steps >= x.wake_helpers_at) maybe_wake_helpers(x);
        if (warp.warp_instructions >= end) {
            end_slice(x, warp);
            return true;
        }
        // The whole warp waits at a barrier: there is no other path to run.
        if (warp.paths.size() == 1 &&
            (warp.paths.front().wait == Wait::barrier || warp.paths.front().wait == Wait::cluster))
            return true;
    }
}

} // namespace

namespace {

// Throws the fault of lanes that wait at `in` for lanes that cannot arrive.
[[noreturn]] void fault_missing(Executor& x, const Instruction& in, std::uint32_t missing)
{
    x.fault(in, "warp_sync", lowest_lane(x.path().mask), 0,
            fmt::format("waits for lanes {} of its warp, which the mask of this warp-wide "
                        "instruction names but which cannot arrive: they have taken another path",
                        lane_list(missing)));
}

} // namespace

// Throws the fault of a block in which no path can progress: lanes wait for each other, or at
// barriers that others do not reach.
void fault_stuck(Executor& x)
{
    for (Warp& warp : x.block->warps)
        for (std::size_t i = 0; i < warp.paths.size(); ++i) {
            const Path& path = warp.paths[i];
            if (!path.live || path.wait != Wait::lanes) continue;
            x.enter(warp, static_cast<int>(i));
            const Instruction& in = x.function->code[static_cast<std::size_t>(path.pc)];
            fault_missing(x, in, lanes_needed(x, in, path.mask) & ~path.mask);
        }
    for (Warp& warp : x.block->warps)
        for (std::size_t i = 0; i < warp.paths.size(); ++i) {
            const Path& path = warp.paths[i];
            if (!path.live || path.wait != Wait::barrier) continue;
            x.enter(warp, static_cast<int>(i));
            const Barrier& barrier = x.block->barriers[path.barrier];
            std::uint32_t arrived = 0;
            for (std::uint32_t lanes : barrier.arrived)
                arrived += static_cast<std::uint32_t>(std::popcount(lanes));
            x.fault(x.function->code[static_cast<std::size_t>(path.pc - 1)], "barrier",
                    lowest_lane(path.mask), 0,
                    fmt::format("waits at barrier {} forever: {} of {} threads have arrived, and "
                                "no other can{}",
                                path.barrier, arrived,
                                barrier.expected == 0 ? x.launch.threads() : barrier.expected,
                                waiting_at_cluster_barrier(x)));
        }
    fault_stuck_at_cluster_barrier(x);
    throw device::DeviceError("The lockstep machine found a block that can neither run nor end.");
}

namespace {

// Throws the fault of a warp that waits at an mbarrier for a phase that does not end.
// `what` describes a launch that was stopped.
[[noreturn]] void fault_waiting(Executor& x, const Warp& warp, trace::FindingKind kind,
                                const std::string& what)
{
    const ObjectWait& wait = warp.object_wait;
    const PhaseState phase = phase_of(*x.block, wait.object);
    std::string why;
    if (phase.bytes_expected != phase.bytes_arrived)
        why = fmt::format("its phase expects {} bytes and {} have arrived: the bytes that "
                          "mbarrier.arrive.expect_tx announces must equal those of the copies",
                          phase.bytes_expected, phase.bytes_arrived);
    else if (phase.pending == phase.expected)
        why = fmt::format("no thread has arrived in the phase with parity {}, which it waits for, "
                          "although the phase before is complete: the parity may be that of the "
                          "next phase",
                          phase.odd ? 1 : 0);
    else
        why = fmt::format("{} of {} arrivals are missing", phase.pending, phase.expected);
    const std::string place =
        fmt::format("at the mbarrier at {:#x} of shared memory: {}", wait.object, why);
    const bool forever = kind.name() == std::string_view("endless");
    trace::Fault fault =
        x.fault_at(*wait.function, *wait.instruction, warp, wait.lane, kind,
                   forever ? "waits forever " + place : what + ". It waits " + place);
    fault.address = shared_window + wait.object;
    throw device::KernelFault(std::move(fault));
}

// Throws a fault at the first warp that still runs.
[[noreturn]] void fault_running(Executor& x, Block& block, trace::FindingKind kind,
                                const std::string& what)
{
    x.block = &block;
    for (Warp& warp : block.warps) {
        const int running = choose_path(warp);
        if (running < 0) continue;
        x.enter(warp, running);
        if (warp.object_wait.function != nullptr) fault_waiting(x, warp, kind, what);
        const Path& path = x.path();
        x.fault(x.function->code[static_cast<std::size_t>(path.pc)], kind, lowest_lane(path.mask),
                0, what);
    }
    fault_stuck(x);
}

} // namespace

void stop_when_due(const Executor& x, const Instruction& in, int lane)
{
    x.launch.check_cancelled();
    if (x.launch.limit_s > 0 && x.is_over_time()) fault_over_time(x, in, lane);
}

void fault_endless(Executor& x, Block& block)
{
    fault_running(
        x, block, "step_budget",
        fmt::format("was stopped after {} warp instructions of its block: it is in a loop "
                    "or a wait that does not end, or needs a larger budget",
                    block.steps));
}

void fault_repeating(Executor& x, Block& block, const std::string& which)
{
    fault_running(x, block, "endless",
                  "loops or waits forever: everything that runs has returned to an earlier "
                  "state, registers and memory alike, so nothing is left that could "
                  "change what it waits for (" +
                      which + ")");
}

void end_slice(Executor& x, Warp& warp)
{
    if (x.block->steps > x.launch.options.step_budget && choose_path(warp) >= 0)
        fault_endless(x, *x.block);
    rotate(warp);
}

// The block is charged for more and more instructions, as if the warp had spun for a whole slice,
// so that a wait without end is noticed. Until then, lanes that are held at a reconvergence point
// stay there.
void park(Executor& x, Warp& warp)
{
    constexpr std::uint32_t max_tries = 512;
    ObjectWait& wait = warp.object_wait;
    wait.parked = false;
    if (wait.tries < max_tries) {
        ++wait.tries;
        warp.slice_spins = 0;
    }
    x.block->steps += warp_slice / max_tries * wait.tries;
    end_slice(x, warp);
}

void resume_stuck_block(Executor& x)
{
    for (Warp& warp : x.block->warps)
        if (release_arrived(warp)) return;
    fault_stuck(x);
}

bool resolve_lanes(Executor& x, Warp& warp)
{
    const int count = static_cast<int>(warp.paths.size());
    for (int first = 0; first < count; ++first) {
        if (!warp.paths[first].live || warp.paths[first].wait != Wait::lanes) continue;
        x.enter(warp, first);
        const Instruction& in = x.function->code[static_cast<std::size_t>(warp.paths[first].pc)];
        const bool anywhere = is_warp_sync(in);
        std::vector<int> together;
        std::uint32_t lanes = 0;
        for (int other = first; other < count; ++other) {
            const Path& path = warp.paths[other];
            if (!path.live || path.wait != Wait::lanes) continue;
            const bool same_place =
                path.pc == warp.paths[first].pc && path.frame == warp.paths[first].frame;
            const Function& function = *warp.frames[path.frame].function;
            if (!same_place &&
                !(anywhere && is_warp_sync(function.code[static_cast<std::size_t>(path.pc)])))
                continue;
            together.push_back(other);
            lanes |= path.mask;
        }
        std::uint32_t named = 0;
        for (int index : together) {
            x.enter(warp, index);
            named |= lanes_named(x, x.function->code[static_cast<std::size_t>(x.path().pc)],
                                 x.path().mask);
        }
        if ((named & ~warp.exited & ~lanes) != 0) continue;
        // An exchange of values needs the lanes that diverged and have ended.
        if (const std::uint32_t ended = named & warp.exited & warp.ahead; ended != 0 && !anywhere)
            fault_missing(x, in, ended);
        if (anywhere) {
            for (Observer* observer : x.observers)
                observer->lanes_meet(x, lanes | (named & warp.exited));
        } else {
            x.enter(warp, first);
            in.handler[x.observers.empty() ? 0 : 1](x, in, lanes);
        }
        for (int index : together) {
            warp.paths[index].wait = Wait::none;
            ++warp.paths[index].pc;
        }
        return true;
    }
    return false;
}

namespace {

LaunchShape shape_of(const LaunchState& launch)
{
    return {.grid = launch.grid,
            .block = launch.block,
            .cluster = launch.cluster,
            .explicit_cluster = launch.explicit_cluster,
            .cluster_specials = launch.program.cluster_specials,
            .shared_bytes = launch.shared_bytes,
            .static_shared_bytes = launch.program.static_shared_bytes,
            .grid_sync = launch.grid_sync};
}

void make_warps(Executor& x, Block& block)
{
    block.made_for = shape_of(x.launch);
    const auto threads = static_cast<int>(x.launch.threads());
    block.warps.resize(static_cast<std::size_t>(x.launch.warps()));
    for (std::size_t i = 0; i < block.warps.size(); ++i) {
        Warp& warp = block.warps[i];
        warp.index = static_cast<int>(i);
        const int rest = threads - warp.index * warp_lanes;
        warp.lanes = rest >= warp_lanes ? full_mask : (1u << rest) - 1u;
        fill_specials(x.launch, warp);
    }
}

void push_kernel_frame(Executor& x, Warp& warp)
{
    const Function& kernel = x.launch.program.entry();
    try {
        push_frame(warp, kernel, x.inspects_registers);
    } catch (const std::length_error&) {
        throw Error(ExitStatus::device_unavailable,
                    fmt::format("{} needs {} bytes of local memory in each thread: together, the "
                                "blocks that run at the same time would take more than a quarter "
                                "of this machine's memory.",
                                kernel.name, kernel.local_bytes),
                    "Launch smaller blocks, or use smaller local arrays.");
    }
}

// Resets the warp to the kernel's first instruction.
void begin_warp(Executor& x, Warp& warp)
{
    warp.exited = ~warp.lanes;
    warp.slice_spins = 0;
    warp.ahead = 0;
    warp.frames.clear();
    warp.copies.clear();
    warp.copy_groups.clear();
    warp.forget_products();
    warp.bulk_groups.clear();
    warp.object_wait = {};
    warp.warp_instructions = 0;
    warp.thread_instructions = 0;
    if (!warp.local.empty()) std::ranges::fill(warp.local, std::byte{0});
    push_kernel_frame(x, warp);
    begin_paths(warp);
}

// Returns true if warps of the next block may run as straight-line code. Requires that no caller
// inspects warps and that the time limit has not passed; it is then polled between warps.
bool can_run_straight(Executor& x)
{
    constexpr std::uint64_t every = 4; // blocks
    const Checks& checks = x.launch.options.checks;
    const bool each = (x.observers.size() > 1 && x.branch_counts == nullptr) ||
                      checks.uninitialised || checks.races;
    if (x.inspects_registers || (each && !x.whole_batches)) return false;
    if (x.launch.limit_s > 0 && !x.past_time_limit && ++x.straight_blocks % every == 0)
        x.past_time_limit = x.is_over_time();
    if (x.past_time_limit || x.started_after_limit > 0) return false;
    if (x.straight) return true;
    const Function& kernel = x.launch.program.entry();
    const native::FunctionCode* const code =
        native::code_of(x, kernel, !x.observers.empty(), false);
    if (code == nullptr || code->straight_steps() == 0) return false;
    x.straight = std::make_unique<native::Straight>(x, *code);
    return true;
}

// Gives each warp its first turn: most finish in it, the others start normally.
void first_turns(Executor& x, Block& block)
{
    block.begun = true;
    std::size_t next = 0;
    try {
        x.launch.check_cancelled();
        x.straight->begin_block(x);
        while (next < block.warps.size()) {
            Warp& warp = block.warps[next++];
            if (x.straight->run(x, warp)) {
                if (x.block->steps >= x.wake_helpers_at) maybe_wake_helpers(x);
                continue;
            }
            begin_warp(x, warp);
            run_warp(x, warp);
            x.straight_failed = false;
        }
    } catch (...) {
        for (; next < block.warps.size(); ++next) begin_warp(x, block.warps[next]);
        throw;
    }
}

} // namespace

void begin_block(Executor& x, Block& block, std::uint64_t linear)
{
    const Dim3 grid = x.launch.grid;
    block.linear = linear;
    block.index = {static_cast<std::uint32_t>(linear % grid.x),
                   static_cast<std::uint32_t>(linear / grid.x % grid.y),
                   static_cast<std::uint32_t>(linear / grid.x / grid.y)};
    block.steps = 0;
    block.barrier_rounds = 0;
    for (; block.open_barriers != 0; block.open_barriers &= block.open_barriers - 1)
        block.barriers[static_cast<std::size_t>(lowest_lane(block.open_barriers))] = {};
    for (GroupSteps& group : block.groups) group.clear();
    block.bulk.clear();
    if (block.cluster_barrier.used) block.cluster_barrier = {};
    block.shared.assign(x.launch.shared_bytes, std::byte{0});
    if (block.warps.empty() || block.made_for != shape_of(x.launch)) make_warps(x, block);
    block.begun = !can_run_straight(x);
    for (Warp& warp : block.warps) {
        if (block.begun) begin_warp(x, warp);
        fill_block_specials(x.launch, warp, block.index);
    }
    x.block = &block;
    for (Observer* observer : x.observers) observer->block_begins(x);
}

void end_block(Executor& x)
{
    finish_bulk_copies(x);
    for (Observer* observer : x.observers) observer->block_ends(x);
}

bool run_block(Executor& x, Block& block, std::uint64_t slice)
{
    x.block = &block;
    const std::uint64_t end = block.steps + slice;
    while (block.steps < end) {
        bool moved = !block.begun;
        if (!block.begun)
            first_turns(x, block);
        else
            for (Warp& warp : block.warps)
                if (!warp.finished()) moved = run_warp(x, warp) || moved;
        if (block.finished()) {
            end_block(x);
            return true;
        }
        if (moved) continue;
        if (x.cluster.size() > 1 && waits_for_cluster(block)) return false;
        resume_stuck_block(x);
    }
    return false;
}

} // namespace lanescope::simt
