// Each thread alternates between arrive and wait. A phase is complete when all threads of the
// cluster that have not exited have arrived.
#include "compute/simt/operations/control/cluster_barrier.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/operations/barriers.h"
#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

// Calls use(block) for each block of the running cluster.
template <class Use>
void for_blocks(const Executor& x, const Use& use)
{
    if (x.cluster.empty()) return use(*x.block);
    for (Block* block : x.cluster) use(*block);
}

struct Arrivals {
    std::uint64_t arrived = 0, missing = 0; // threads
};

Arrivals arrivals(const Executor& x)
{
    Arrivals all;
    for_blocks(x, [&](const Block& block) {
        for (std::size_t i = 0; i < block.warps.size(); ++i) {
            const std::uint32_t arrived = block.cluster_barrier.arrived[i];
            all.arrived += lane_count(arrived);
            all.missing += lane_count(~(arrived | block.warps[i].exited));
        }
    });
    return all;
}

void pass_cluster_barrier(Executor& x, Block& block, Warp& warp, std::uint32_t lanes)
{
    block.cluster_barrier.owing[static_cast<std::size_t>(warp.index)] &= ~lanes;
    if (x.cluster.empty()) return;
    for (Observer* observer : x.observers) observer->cluster_passes(x, block, warp, lanes);
}

void report_completion(Executor& x)
{
    if (!x.cluster.empty()) {
        for (Observer* observer : x.observers) observer->cluster_completes(x);
        return;
    }
    // A block that is its own cluster: the same as a barrier of the block.
    Barrier barrier;
    barrier.arrived = x.block->cluster_barrier.arrived;
    for (Observer* observer : x.observers) observer->barrier_opens(x, barrier);
}

void open_cluster_gate(Executor& x)
{
    report_completion(x);
    for_blocks(x, [&](Block& block) {
        block.cluster_barrier.arrived.fill(0);
        for (Warp& warp : block.warps)
            for (Path& path : warp.paths) {
                if (!path.live || path.wait != Wait::cluster) continue;
                path.wait = Wait::none;
                pass_cluster_barrier(x, block, warp, path.mask);
            }
    });
}

// Function::operands: values[0] is 1 if all lanes of the warp must arrive together.
void check_whole_warp(Executor& x, const Instruction& in, std::uint32_t mask)
{
    if (!x.launch.options.checks.divergent_barriers ||
        x.function->operands[in.extra].values[0] == 0 || x.warp->ahead != 0)
        return;
    const std::uint32_t missing = full_mask & ~x.warp->exited & ~mask;
    if (missing != 0)
        x.fault(in, "barrier", lowest_lane(mask), 0,
                fmt::format("reaches the cluster's barrier without thread {} of its warp, which "
                            "has taken another path",
                            text(x.thread_index(*x.warp, lowest_lane(missing)))));
}

Flow arrive_at_cluster(Executor& x, const Instruction& in, std::uint32_t mask)
{
    check_whole_warp(x, in, mask);
    ClusterBarrier& barrier = x.block->cluster_barrier;
    const auto warp = static_cast<std::size_t>(x.warp->index);
    if (const std::uint32_t again = barrier.owing[warp] & mask; again != 0)
        x.fault(in, "barrier", lowest_lane(again), 0,
                "arrives at the cluster's barrier again without having waited there: each "
                "barrier.cluster.arrive needs a barrier.cluster.wait before the next one");
    for (Observer* observer : x.observers) observer->cluster_arrives(x, in);
    barrier.used = true;
    barrier.arrived[warp] |= mask;
    barrier.owing[warp] |= mask;
    complete_cluster_barrier(x);
    return Flow::next;
}

Flow wait_for_cluster(Executor& x, const Instruction& in, std::uint32_t mask)
{
    if (split_guarded(x, in, mask)) return Flow::reload;
    check_whole_warp(x, in, mask);
    const ClusterBarrier& barrier = x.block->cluster_barrier;
    const auto warp = static_cast<std::size_t>(x.warp->index);
    if (const std::uint32_t early = mask & ~barrier.owing[warp]; early != 0)
        x.fault(in, "barrier", lowest_lane(early), 0,
                "waits at the cluster's barrier without having arrived: a "
                "barrier.cluster.arrive must come first");
    if ((barrier.arrived[warp] & mask) == 0) {
        pass_cluster_barrier(x, *x.block, *x.warp, mask);
        return Flow::next;
    }
    Path& path = x.path();
    path.pc = x.pc_of(in) + 1;
    path.wait = Wait::cluster;
    return Flow::reload;
}

// The instruction that a blocked path waits at.
std::string waiting_place(const Executor& x, const Warp& warp, const Path& path)
{
    const Function& function = *warp.frames[static_cast<std::size_t>(path.frame)].function;
    const int pc = path.wait == Wait::lanes ? path.pc : path.pc - 1;
    const Instruction& in = function.code[static_cast<std::size_t>(pc)];
    return place_text(*x.launch.program.module, function.source->instructions[in.source]);
}

// A thread of the cluster that has not arrived, and where it waits; empty if there is none.
std::string missing_thread(const Executor& x)
{
    std::string found;
    for_blocks(x, [&](const Block& block) {
        for (const Warp& warp : block.warps) {
            const auto index = static_cast<std::size_t>(warp.index);
            const std::uint32_t missing = ~(block.cluster_barrier.arrived[index] | warp.exited);
            if (!found.empty() || missing == 0) continue;
            const int lane = lowest_lane(missing);
            found = fmt::format("; thread {} of block {} has not", text(x.thread_index(warp, lane)),
                                text(block.index));
            for (const Path& path : warp.paths)
                if (path.live && path.wait != Wait::none && (path.mask >> lane & 1u) != 0)
                    found += fmt::format(", it waits at {}", waiting_place(x, warp, path));
        }
    });
    return found;
}

const Path* waiting_path(const Warp& warp)
{
    const auto found = std::ranges::find_if(
        warp.paths, [](const Path& path) { return path.live && path.wait == Wait::cluster; });
    return found == warp.paths.end() ? nullptr : &*found;
}

} // namespace

void complete_cluster_barrier(Executor& x)
{
    const Arrivals all = arrivals(x);
    if (all.arrived != 0 && all.missing == 0) open_cluster_gate(x);
}

bool waits_for_cluster(const Block& block)
{
    return std::ranges::any_of(block.warps,
                               [](const Warp& warp) { return waiting_path(warp) != nullptr; });
}

std::string waiting_at_cluster_barrier(const Executor& x)
{
    for (const Warp& warp : x.block->warps)
        if (const Path* path = waiting_path(warp))
            return fmt::format(", because thread {} waits at the cluster's barrier ({})",
                               text(x.thread_index(warp, lowest_lane(path->mask))),
                               waiting_place(x, warp, *path));
    return {};
}

void fault_stuck_at_cluster_barrier(Executor& x)
{
    for (Warp& warp : x.block->warps) {
        const Path* path = waiting_path(warp);
        if (path == nullptr) continue;
        const Arrivals all = arrivals(x);
        const std::string missing = missing_thread(x);
        x.enter(warp, static_cast<int>(path - warp.paths.data()));
        x.fault(x.function->code[static_cast<std::size_t>(path->pc - 1)], "barrier",
                lowest_lane(path->mask), 0,
                fmt::format("waits at the cluster's barrier forever: {} of {} threads have "
                            "arrived, and no other can{}",
                            all.arrived, all.arrived + all.missing, missing));
    }
}

Handlers cluster_barrier_handlers(bool waits)
{
    return waits ? same<wait_for_cluster>() : same<arrive_at_cluster>();
}

} // namespace lanescope::simt
