// One thread block as the machine runs it: warps, shared memory and barriers. A plain value, so
// that a copy is a saved state.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compute/dim3.h"
#include "compute/simt/machine/state/warp.h"

namespace lanescope::simt {

constexpr int block_barriers = 16;
constexpr int block_warps = 32;

// Lanes of each warp that have arrived at a barrier in its current round.
struct Barrier {
    std::array<std::uint32_t, block_warps> arrived{};
    std::uint32_t expected = 0; // threads, rounded up to warps; 0: all threads of the block
    bool open = false;          // at least one lane has arrived
    std::uint32_t count = 0;    // bar.red: threads whose predicate was true
    bool all = true;
    bool any = false;
};

// A block's part of the barrier of its cluster: lanes of each warp.
struct ClusterBarrier {
    std::array<std::uint32_t, block_warps> arrived{}; // in the phase that is not complete
    // Have arrived, in this phase or the one before, and not waited since.
    std::array<std::uint32_t, block_warps> owing{};
    bool used = false; // some lane has arrived since the block began
};

constexpr int group_warps = 4; // warps of a warp group; the first has a multiple of 4 as its index

// The wgmma instructions that a warp group has executed: its warps run one after another, and each
// must execute the same ones. The first `dropped` ones, which all warps have executed, are omitted.
struct GroupSteps {
    struct Step {
        const Instruction* instruction = nullptr;
        std::uint64_t a = 0, b = 0; // descriptors of a product
    };
    std::vector<Step> steps;
    std::uint64_t dropped = 0;

    std::uint64_t count() const { return dropped + steps.size(); }
    void clear()
    {
        steps.clear();
        dropped = 0;
    }
};

// Inputs of the special registers that have the same value in every block of a launch.
struct LaunchShape {
    Dim3 grid{0, 0, 0}, block{0, 0, 0}, cluster{1, 1, 1};
    bool explicit_cluster = false, cluster_specials = false;
    std::size_t shared_bytes = 0, static_shared_bytes = 0;
    std::uint64_t grid_sync = 0;

    friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

struct Block {
    LaunchShape made_for;     // the shape that `warps` were built for
    std::uint64_t linear = 0; // linear block index, x fastest
    Dim3 index{0, 0, 0};
    std::vector<Warp> warps;
    Rows shared;
    std::array<GroupSteps, block_warps / group_warps> groups;
    std::array<Barrier, block_barriers> barriers;
    BulkCopies bulk;
    ClusterBarrier cluster_barrier;
    std::uint32_t open_barriers = 0; // bit mask of the barriers with arrived lanes
    // True if all warps have started; otherwise each starts on its turn.
    bool begun = true;
    std::uint64_t steps = 0;          // warp instructions so far
    std::uint64_t barrier_rounds = 0; // completed barriers

    bool finished() const
    {
        for (const Warp& warp : warps)
            if (!warp.finished()) return false;
        return true;
    }
};

} // namespace lanescope::simt
