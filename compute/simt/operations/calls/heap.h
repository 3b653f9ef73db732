// malloc and free for kernels; `new` and `delete` call them.
#pragma once

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// Allocates for each lane, lowest first; a failed allocation returns a null pointer.
void allocate_on_heap(Executor& executor, const Call& call, std::uint32_t mask);
// Throws KernelFault for a pointer that malloc did not return or that was already freed.
void free_on_heap(Executor& executor, const Instruction& instruction, const Call& call,
                  std::uint32_t mask);

} // namespace lanescope::simt
