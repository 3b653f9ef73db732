// Formats faults as sentences that a student understands: the thread, the source line, the action,
// the buffer involved and how far out of bounds it was.
#pragma once

#include <cstdint>
#include <string>

#include "compute/simt/machine/state/executor.h"
#include "compute/simt/machine/state/index_text.h"

namespace lanescope::simt {

// Valid range [0, end) of a non-global space for the running path.
struct Extent {
    std::uint64_t end = 0;
    std::byte* host = nullptr; // null for local memory, which is separate for each lane
};
Extent space_extent(const Executor& executor, ptx::Space space);

[[noreturn]] void throw_out_of_bounds(const Executor& executor, const Instruction& instruction,
                                      const Access& access, ptx::Space space, int lane,
                                      std::uint64_t address, const Extent& extent);
// Same, for `bytes` contiguous bytes that one thread loads, stores or updates.
[[noreturn]] void throw_span_out_of_bounds(const Executor& executor, const Instruction& instruction,
                                           trace::Op op, ptx::Space space, int lane,
                                           std::uint64_t address, std::uint64_t bytes,
                                           const Extent& extent);
[[noreturn]] void throw_misaligned(const Executor& executor, const Instruction& instruction,
                                   const Access& access, ptx::Space space, int lane,
                                   std::uint64_t address);
// Throws for an address whose offset is outside the signed 32-bit range that PTX allows.
[[noreturn]] void throw_far_offset(const Executor& executor, const Instruction& instruction,
                                   const Access& access, int lane, std::uint64_t address);

// "the buffer of parameter 2 (4096 bytes)", "the variable table (64 bytes)"; the allocation's
// number if no kernel parameter points into it and the kernel names no such variable.
std::string describe(const LaunchState& launch, const Allocation& allocation);
// Index of the kernel parameter that points into the allocation; -1 if none does.
int parameter_of(const LaunchState& launch, const Allocation& allocation);
// "1 byte", "4 bytes".
std::string byte_count(std::uint64_t bytes);
// "reads", "writes" or "updates atomically".
std::string verb(trace::Op op);
// "naive.cu:12", or the PTX line if the source is unknown.
std::string place_text(const ptx::Module& module, const ptx::Instruction& instruction);
// The same for an instruction of the function. One that the compiler has moved and left without a
// line gets the line of the next instruction that has one.
std::string place_text(const ptx::Module& module, const Function& function,
                       const Instruction& instruction);
[[noreturn]] void throw_read_only(const Executor& executor, const Instruction& instruction,
                                  const Access& access, ptx::Space space, int lane,
                                  std::uint64_t address);

} // namespace lanescope::simt
