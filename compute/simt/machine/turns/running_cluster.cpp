// A cluster's blocks run in order of rank, each until it has used its slice or all its threads wait
// for other blocks. The order is fixed, so every run is the same.
#include "compute/simt/machine/turns/running_cluster.h"

#include <algorithm>

#include "compute/simt/machine/state/cluster.h"
#include "compute/simt/machine/turns/exact.h"
#include "compute/simt/machine/turns/stuck.h"

namespace lanescope::simt {

void RunningCluster::begin(Executor& x, std::uint64_t number)
{
    const auto count = static_cast<std::uint32_t>(x.launch.cluster.count());
    blocks_.resize(count);
    ended_.assign(count, false);
    x.cluster.clear();
    for (std::unique_ptr<Block>& block : blocks_) {
        if (!block) block = std::make_unique<Block>();
        x.cluster.push_back(block.get());
    }
    for (std::uint32_t rank = 0; rank < count; ++rank)
        begin_block(x, *blocks_[rank], block_in_cluster(x.launch, number, rank));
}

namespace {

// Lanes that are held at a reconvergence point continue, or the fault of a cluster in which no
// block can progress is thrown.
void resume_stuck_cluster(Executor& x)
{
    for (Block* block : x.cluster)
        for (Warp& warp : block->warps)
            if (release_arrived(warp)) return;
    // A block that waits for itself is the cause; the others wait for it.
    const auto waits_for_itself = [](const Block* block) {
        return std::ranges::any_of(block->warps, [](const Warp& warp) {
            return std::ranges::any_of(warp.paths, [](const Path& path) {
                return path.live && (path.wait == Wait::lanes || path.wait == Wait::barrier);
            });
        });
    };
    const auto cause = std::ranges::find_if(x.cluster, waits_for_itself);
    const auto first =
        std::ranges::find_if(x.cluster, [](const Block* block) { return !block->finished(); });
    x.block = cause != x.cluster.end() ? *cause : *first;
    fault_stuck(x);
}

} // namespace

bool RunningCluster::run(Executor& x, std::uint64_t slice, const std::function<void()>& ended)
{
    x.cluster.clear();
    for (const std::unique_ptr<Block>& block : blocks_) x.cluster.push_back(block.get());
    const std::uint64_t end = steps() + slice;
    while (steps() < end) {
        const std::uint64_t before = steps();
        bool moved = false;
        for (std::size_t rank = 0; rank < blocks_.size(); ++rank) {
            if (ended_[rank] || !run_block(x, *blocks_[rank], cooperative_slice)) continue;
            ended_[rank] = moved = true;
            ended();
        }
        if (std::ranges::find(ended_, false) == ended_.end()) return true;
        if (!moved && steps() == before) resume_stuck_cluster(x);
    }
    return false;
}

std::vector<Block*> RunningCluster::unfinished() const
{
    std::vector<Block*> all;
    for (std::size_t rank = 0; rank < blocks_.size(); ++rank)
        if (!ended_[rank]) all.push_back(blocks_[rank].get());
    return all;
}

Block& RunningCluster::shown() const
{
    const std::vector<Block*> all = unfinished();
    const auto running = std::ranges::find_if(all, [](Block* block) {
        return std::ranges::any_of(block->warps, [](Warp& warp) { return choose_path(warp) >= 0; });
    });
    return running == all.end() ? *all.front() : **running;
}

std::uint64_t RunningCluster::steps() const
{
    std::uint64_t sum = 0;
    for (const std::unique_ptr<Block>& block : blocks_) sum += block->steps;
    return sum;
}

} // namespace lanescope::simt
