// One thread block as the machine runs it: warps, shared memory and barriers. A plain value, so
// that a copy is a saved state.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compute/dim3.h"
#include "compute/simt/machine/warp.h"

namespace lanescope::simt {

constexpr int block_barriers = 16;
constexpr int block_warps = 32;

// Who has arrived at a barrier in its current round, by lanes of each warp.
struct Barrier {
    std::array<std::uint32_t, block_warps> arrived{};
    std::uint32_t expected = 0; // threads, rounded up to warps; 0: all threads of the block
    bool open = false;          // somebody has arrived
    std::uint32_t count = 0;    // bar.red: threads whose predicate was true
    bool all = true;
    bool any = false;
};

// What rows of special registers say that are the same in all blocks of a launch.
struct LaunchShape {
    Dim3 grid{0, 0, 0}, block{0, 0, 0};
    std::size_t shared_bytes = 0, static_shared_bytes = 0;
    std::uint64_t grid_sync = 0;

    friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

struct Block {
    LaunchShape made_for;     // by which its warps were made
    std::uint64_t linear = 0; // x fastest
    Dim3 index{0, 0, 0};
    std::vector<Warp> warps;
    Rows shared;
    std::array<Barrier, block_barriers> barriers;
    std::uint32_t open_barriers = 0;  // bits of those that somebody has arrived at
    bool begun = true;                // its warps; else each begins with its first turn
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
