// Where blocks lie in clusters, and the shared memory that the blocks of a cluster reach.
#pragma once

#include <cstdint>
#include <string>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// Place of a block in the grid's clusters.
struct ClusterPlace {
    Dim3 cluster{0, 0, 0};    // index of the cluster in the grid
    Dim3 block{0, 0, 0};      // index of the block in the cluster
    std::uint64_t number = 0; // linear index of the cluster, x fastest
    std::uint32_t rank = 0;   // linear index of the block in the cluster, x fastest
};
ClusterPlace cluster_place(const LaunchState& launch, Dim3 block);
// Linear index in the grid of the block with this rank.
std::uint64_t block_in_cluster(const LaunchState& launch, std::uint64_t cluster,
                               std::uint32_t rank);

// A location in the shared memory of a block of the running cluster. `offset` may be past its end.
struct SharedPlace {
    Block* block = nullptr;
    std::uint64_t offset = 0;
};
// Resolves an address of the shared::cluster window, relative to the shared window. Throws
// KernelFault if the cluster has no such block, or if the block has ended.
SharedPlace resolve_shared(Executor& executor, const Instruction& instruction, int lane,
                           Address address);

// "shared memory", or "shared memory of block (1, 0, 0)" while an access reaches another block's.
std::string shared_name(const Executor& executor);
// Generic address of an offset in the shared memory that the running access reaches.
Address shared_generic(const Executor& executor, std::uint64_t offset);

} // namespace lanescope::simt
