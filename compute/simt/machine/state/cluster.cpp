// Blocks of a cluster are numbered with x fastest, as clusters are in their grid.
#include "compute/simt/machine/state/cluster.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/simt/machine/state/index_text.h"

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

} // namespace lanescope::simt
