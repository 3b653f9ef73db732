// Pipes and latencies of SASS instructions. Constants are those of an H100; costs.cpp names their
// sources.
#pragma once

#include <cstdint>

#include "compute/predicted/flow.h"

namespace lanescope::predicted {

enum class Pipe : std::uint8_t { none, fma, alu, fp64, special, tensor, memory };
constexpr std::size_t pipe_count = 7;

Pipe pipe_of(const assembled::SassInstruction& instruction);
// Cycles for which a warp's instruction occupies its pipe, on one of the four partitions of a
// multiprocessor.
double pipe_cycles(const assembled::SassInstruction& instruction);

// The unit that a warp waits for when it needs a result that is not there yet.
enum class Wait : std::uint8_t { issue, arithmetic, shared, global, barrier, branch };
constexpr std::size_t wait_count = 6;

struct Latency {
    double cycles = 0; // from issue to the result
    Wait wait = Wait::arithmetic;
};
// `access` are the counts at the instruction's line; null if it is not a site.
Latency latency_of(const assembled::SassInstruction& instruction, const Access* access);

// Cycles until a warp issues its next instruction.
double gap_after(const assembled::SassInstruction& instruction, int warps_per_block);

// Cycles of the data pipe of L1 and shared memory per execution.
double data_cycles(const assembled::SassInstruction& instruction, const Access* access);

} // namespace lanescope::predicted
