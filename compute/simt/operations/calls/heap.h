// malloc and free of kernels. `new` and `delete` call them.
#pragma once

#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

// Lowest lane first; a lane that gets nothing gets a null pointer.
void allocate_on_heap(Executor& executor, const Call& call, std::uint32_t mask);
// Throws KernelFault for a pointer that malloc did not give, or that was freed before.
void free_on_heap(Executor& executor, const Instruction& instruction, const Call& call,
                  std::uint32_t mask);

} // namespace lanescope::simt
