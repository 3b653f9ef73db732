// Warnings about a __syncthreads() that threads of a block reach without others: the others have
// ended, or wait at a different __syncthreads(). GPUs since Volta continue; the CUDA programming
// guide requires that all threads of a block reach the same one.
#pragma once

#include <vector>

#include "compute/simt/checks/line_warnings.h"

namespace lanescope::simt {

struct Executor;

class BarrierWarnings {
public:
    // Barrier 0 of all threads is complete, and lanes still wait at it.
    void opens(const Executor& executor);

    void merge_into(std::vector<trace::Fault>& faults) const { warnings_.merge_into(faults); }

private:
    LineWarnings warnings_;
};

} // namespace lanescope::simt
