// Clusters: blocks that run together on one core, reach each other's shared memory and meet at the
// cluster's barrier.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// The blocks of one cluster, which take turns.
class RunningCluster {
public:
    // Begins all blocks.
    void begin(Executor& executor, std::uint64_t number);
    // Runs each block in turn until the cluster has used `slice` instructions; calls `ended` for
    // each block that finishes. Returns true once all have. Throws the fault of blocks that wait
    // for each other forever.
    bool run(Executor& executor, std::uint64_t slice, const std::function<void()>& ended);
    // Blocks that have not finished, by rank.
    std::vector<Block*> unfinished() const;
    // The block to name in a fault of the whole cluster: the first that can run, else the first
    // that has not finished.
    Block& shown() const;
    std::uint64_t steps() const;

private:
    std::vector<std::unique_ptr<Block>> blocks_; // by rank
    std::vector<bool> ended_;
};

} // namespace lanescope::simt
