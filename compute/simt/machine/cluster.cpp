// A cluster's blocks run in order of rank, each until it has used its slice or all its threads wait
// for other blocks. The order is fixed, so every run is the same.
#include "compute/simt/machine/cluster.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/simt/checks/faults.h"
#include "compute/simt/machine/exact.h"
#include "compute/simt/machine/stuck.h"

namespace lanescope::simt {

ClusterPlace cluster_place(const LaunchState& launch, Dim3 block)
{
    const Dim3 size = launch.cluster;
    ClusterPlace place;
    place.cluster = {block.x / size.x, block.y / size.y, block.z / size.z};
    place.block = {block.x % size.x, block.y % size.y, block.z % size.z};
    place.rank = place.block.x + size.x * (place.block.y + size.y * place.block.z);
    const std::uint64_t clusters_x = launch.grid.x / size.x, clusters_y = launch.grid.y / size.y;
    place.number = place.cluster.x + clusters_x * (place.cluster.y + clusters_y * place.cluster.z);
    return place;
}

std::uint64_t block_in_cluster(const LaunchState& launch, std::uint64_t cluster, std::uint32_t rank)
{
    const Dim3 size = launch.cluster, grid = launch.grid;
    const std::uint64_t clusters_x = grid.x / size.x, clusters_y = grid.y / size.y;
    const std::uint64_t x = cluster % clusters_x * size.x + rank % size.x;
    const std::uint64_t y = cluster / clusters_x % clusters_y * size.y + rank / size.x % size.y;
    const std::uint64_t z = cluster / clusters_x / clusters_y * size.z + rank / size.x / size.y;
    return x + grid.x * (y + grid.y * z);
}

SharedPlace resolve_shared(Executor& x, const Instruction& in, int lane, Address address)
{
    if (!names_rank(address)) return {x.block, address};
    const std::uint32_t rank = rank_of(address);
    const std::size_t blocks = std::max<std::size_t>(x.cluster.size(), 1);
    if (rank >= blocks)
        x.fault(in, "bad_address", lane, shared_window + address,
                fmt::format("uses shared memory of the block with rank {} in its cluster, which "
                            "has {}",
                            rank, blocks == 1 ? "1 block" : fmt::format("{} blocks", blocks)));
    Block* const block = x.cluster.empty() ? x.block : x.cluster[rank];
    if (block != x.block && block->finished())
        x.fault(in, "bad_address", lane, shared_window + address,
                fmt::format("uses shared memory of block {}, which has ended: a cluster.sync() "
                            "before the end of the kernel keeps all blocks until the last access",
                            text(block->index)));
    return {block, address % rank_bytes};
}

std::string shared_name(const Executor& x)
{
    const Block& owner = x.shared_block();
    return &owner == x.block ? "shared memory"
                             : fmt::format("shared memory of block {}", text(owner.index));
}

Address shared_generic(const Executor& x, std::uint64_t offset)
{
    const Block& owner = x.shared_block();
    if (&owner == x.block) return shared_window + offset;
    return shared_window + cluster_address(cluster_place(x.launch, owner.index).rank, offset);
}

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
