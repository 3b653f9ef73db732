// Cache parameters of the simulated GPUs that gpus.h does not cover.
#pragma once

#include <vector>

#include "compute/counting/gpus.h"

namespace lanescope::counting {

struct Caches {
    int compute_major = 0;
    int compute_minor = 0;
    int l2_partitions = 1;
    std::vector<int> shared_kib; // possible sizes of shared memory, ascending
};

const Caches& caches_of(const Gpu& gpu);

// L1 cache per multiprocessor, in bytes, if its resident blocks use `shared_bytes` of shared
// memory: the driver chooses the smallest shared memory size that holds them.
int l1_bytes(const Gpu& gpu, int shared_bytes);

} // namespace lanescope::counting
