// Runs a launch in a different order that CUDA permits: blocks, warps and the paths of a warp take
// turns of random length, lanes of a warp diverge and reconverge at any instruction, and lanes that
// wait at a reconvergence point may continue without the others. Asynchronous copies arrive at any
// time until they are waited for. Other blocks see stores late (late_stores.h), threads of the same
// block at once. A result that changes with the seed depends
// on an order that the kernel does not enforce.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "compute/simt/machine/state/executor.h"
#include "compute/simt/machine/turns/kept_blocks.h"

namespace lanescope::simt {

class OtherOrder {
public:
    // `seed` is nonzero. `splits`: lanes of a warp may diverge at any instruction, as since Volta.
    OtherOrder(std::uint64_t seed, std::uint64_t blocks, bool splits);

    // The index of the block that starts as number `i`, below `blocks`: a permutation.
    std::uint64_t block(std::uint64_t i) const;
    // Number of blocks that are resident at first.
    std::size_t resident() const { return resident_; }
    bool has_late_stores() const { return late_stores_; }
    std::mt19937_64& random() { return random_; }
    // A random number below `count`, which is at least 1.
    std::size_t choose(std::size_t count);
    // Runs one turn of one warp. Returns true once the block has finished.
    bool run(Executor& executor, Block& block);

private:
    bool one_in(std::uint32_t n) { return choose(n) == 0; }
    bool run_warp(Executor& executor, Warp& warp);
    int choose_path(const Warp& warp);
    void part_lanes(Executor& executor);

    std::mt19937_64 random_;
    std::uint64_t blocks_, factor_ = 1, offset_ = 0;
    std::size_t resident_;
    std::size_t max_turn_; // instructions
    bool splits_;
    bool late_stores_;
};

// Runs all blocks of the executor's launch in the order of Options::order. `ended` counts the
// blocks that have finished. Throws the first fault.
void run_in_other_order(Executor& executor, std::uint64_t& ended);

} // namespace lanescope::simt
