// Sends a recorded launch through the caches: its blocks are placed on multiprocessors as hardware
// places them, and the warps of the resident blocks take turns.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/caches/hierarchy.h"
#include "compute/caches/recording.h"
#include "compute/counting/gpus.h"

namespace lanescope::caches {

// What the caches held before the launch: nothing, or what the same launch leaves in L2.
enum class Before : std::uint8_t { cold, warm };

struct Machine {
    Sizes sizes;
    int resident_blocks = 1; // per multiprocessor
};
// The GPU as the launch finds it: its shared memory and registers decide how many blocks are
// resident, and how much of a multiprocessor's memory is left for L1.
Machine machine_for(const counting::Gpu& gpu, const Recording& launch);

struct Result {
    Traffic traffic;
    std::vector<Served> sites; // as in the recording
    friend bool operator==(const Result&, const Result&) = default;
};

Result replay(const Recording& launch, const Machine& machine, Before before);

} // namespace lanescope::caches
