// Warnings about a __syncthreads() that only some threads of a block reach, while the others have
// ended or wait at a different __syncthreads(). GPUs since Volta continue; the CUDA programming
// guide requires that all threads of a block reach the same one.
#pragma once

#include <vector>

#include "compute/simt/checks/faults/line_warnings.h"

namespace lanescope::simt {

struct Executor;

class BarrierWarnings {
public:
    // Call when barrier 0 of the whole block is complete, while its lanes still wait at it.
    void opens(const Executor& executor);

    void merge_into(std::vector<trace::Fault>& faults) const { warnings_.merge_into(faults); }

private:
    LineWarnings warnings_;
};

} // namespace lanescope::simt
