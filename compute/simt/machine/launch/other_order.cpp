// The seed determines the lengths of turns and the permitted kinds of reordering, then every turn.
#include "compute/simt/machine/launch/other_order.h"

#include <array>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "compute/simt/machine/launch/late_stores.h"
#include "compute/simt/machine/turns/exact.h"
#include "compute/simt/operations/memory/async_copy.h"

namespace lanescope::simt {

OtherOrder::OtherOrder(std::uint64_t seed, std::uint64_t blocks, bool splits)
    : random_(seed), blocks_(blocks)
{
    // Short turns expose interleaving with other threads, long ones a
    // thread that runs before all others.
    constexpr std::array<std::size_t, 4> turns{1, 8, 128, 4096};
    constexpr std::array<std::size_t, 4> residents{1, 2, 8, 64};
    max_turn_ = turns[choose(turns.size())];
    resident_ = residents[choose(residents.size())];
    splits_ = one_in(2) && splits;
    late_stores_ = one_in(2);
    constexpr std::uint64_t max_permuted = std::uint64_t{1} << 32; // no product exceeds 64 bits
    if (blocks_ < 2 || blocks_ > max_permuted || one_in(2)) return;
    offset_ = random_() % blocks_;
    do factor_ = 1 + random_() % (blocks_ - 1);
    while (std::gcd(factor_, blocks_) != 1);
}

std::uint64_t OtherOrder::block(std::uint64_t i) const
{
    return (i * factor_ % blocks_ + offset_) % blocks_;
}

std::size_t OtherOrder::choose(std::size_t count)
{
    return static_cast<std::size_t>(random_() % count);
}

// Returns a random path that can run; -1 if there is none.
int OtherOrder::choose_path(const Warp& warp)
{
    const std::size_t count = warp.paths.size();
    if (count == 0) return -1;
    const std::size_t first = choose(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t candidate = (first + i) % count;
        if (warp.paths[candidate].runnable()) return static_cast<int>(candidate);
    }
    return -1;
}

// Splits the running path into two paths, which reconverge where it would have joined the others.
// The new current path has the lanes that go first.
void OtherOrder::part_lanes(Executor& x)
{
    const Path path = x.path();
    const std::uint32_t first = path.mask & static_cast<std::uint32_t>(random_());
    if (first == 0 || first == path.mask || path.pc == path.reconvergence) return;
    const std::array<Side, 2> sides{Side{path.pc, path.mask & ~first, path.counted},
                                    Side{path.pc, first, path.counted}};
    Warp& warp = *x.warp;
    diverge(warp, x.path_index, sides, path.reconvergence);
    x.enter(warp, warp.current);
}

// Runs one turn of the warp. Returns false if it cannot progress.
bool OtherOrder::run_warp(Executor& x, Warp& warp)
{
    constexpr std::uint32_t turns_per_release = 64;
    constexpr std::uint32_t turns_per_split = 8;
    constexpr std::uint32_t turns_per_copy = 8;
    if (one_in(turns_per_release)) release_arrived(warp);
    const int index = choose_path(warp);
    if (index < 0) return resolve_lanes(x, warp);
    warp.current = index;
    x.enter(warp, index);
    if (!warp.copies.empty() && one_in(turns_per_copy))
        finish_copies(x, static_cast<std::uint32_t>(random_()));
    if (splits_ && one_in(turns_per_split)) part_lanes(x);
    const std::size_t turn = 1 + choose(max_turn_);
    run_path_exactly(x, turn, turn);
    return true;
}

bool OtherOrder::run(Executor& x, Block& block)
{
    x.block = &block;
    const std::size_t count = block.warps.size();
    const std::size_t first = choose(count);
    for (std::size_t i = 0; i < count; ++i) {
        Warp& warp = block.warps[(first + i) % count];
        if (warp.finished() || !run_warp(x, warp)) continue;
        if (!warp.finished() || !block.finished()) return false;
        end_block(x);
        return true;
    }
    // A waiting lane may need lanes that are held at a reconvergence point.
    for (Warp& warp : block.warps)
        if (release_arrived(warp)) return false;
    fault_stuck(x);
}

namespace {

void stop_if_over(Executor& x, Block& block)
{
    if (block.steps > x.launch.options.step_budget) fault_endless(x, block);
    const Path& path = x.path();
    if (path.runnable())
        stop_when_due(x, x.function->code[static_cast<std::size_t>(path.pc)],
                      lowest_lane(path.mask));
}

} // namespace

void run_in_other_order(Executor& x, std::uint64_t& ended)
{
    constexpr std::uint64_t turns_between_checks = 256;
    constexpr std::uint64_t turns_between_arrivals = 4096;
    const LaunchState& launch = x.launch;
    const std::uint64_t count = launch.grid.count();
    OtherOrder order(launch.options.order, count, launch.program.module->architecture() >= 70);
    LateStores late(order.random(), launch.memory);
    if (order.has_late_stores()) x.observers.push_back(&late);
    std::size_t resident = launch.program.cooperative ? max_resident : order.resident();
    std::vector<std::unique_ptr<Block>> blocks, idle;
    std::uint64_t next = 0;
    for (std::uint64_t turn = 1; next < count || !blocks.empty(); ++turn) {
        while (next < count && blocks.size() < resident) {
            if (idle.empty()) idle.push_back(std::make_unique<Block>());
            blocks.push_back(std::move(idle.back()));
            idle.pop_back();
            begin_block(x, *blocks.back(), order.block(next++));
        }
        std::unique_ptr<Block>& block = blocks[order.choose(blocks.size())];
        if (order.has_late_stores()) late.enter(*block);
        const bool finished = order.run(x, *block);
        if (order.has_late_stores()) late.leave();
        if (finished) {
            ++ended;
            idle.push_back(std::move(block));
            block = std::move(blocks.back());
            blocks.pop_back();
            continue;
        }
        if (turn % turns_between_checks == 0) {
            launch.check_cancelled();
            stop_if_over(x, *block);
        }
        // All resident blocks may wait for one that has not started.
        if (turn % turns_between_arrivals == 0 && resident < max_resident) ++resident;
    }
}

} // namespace lanescope::simt
