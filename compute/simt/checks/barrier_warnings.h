// Warnings about a __syncthreads() that threads of a block reach without others: the others have
// ended, or wait at a different __syncthreads(). GPUs since Volta continue; the CUDA programming
// guide requires that all threads of a block reach the same one.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/trace/trace.h"

namespace lanescope::simt {

struct Executor;
struct Instruction;

class BarrierWarnings {
public:
    // Barrier 0 of all threads is complete, and lanes still wait at it.
    void opens(const Executor& executor);

    // Adds these warnings to those of other cores: one per source line, of the lowest block.
    void merge_into(std::vector<trace::Fault>& faults) const;

private:
    struct Warning {
        std::vector<const Instruction*> instructions; // all of one source line
        std::uint64_t block = 0;
        trace::Fault fault;
    };
    bool is_known(const Instruction* instruction, std::uint64_t block) const;

    std::vector<Warning> warnings_;
};

} // namespace lanescope::simt
