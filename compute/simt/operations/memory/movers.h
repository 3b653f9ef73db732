// Copies between memory and rows of lanes, by element size, signedness and lane size.
#pragma once

#include "compute/simt/machine/program.h"

// Excludes accesses made on behalf of a kernel from ThreadSanitizer: races in the kernel are
// reported by the checks.
#ifdef __SANITIZE_THREAD__
#define OF_THE_KERNEL __attribute__((no_sanitize("thread")))
#else
#define OF_THE_KERNEL
#endif

namespace lanescope::simt {

// `element_bytes` is 1, 2, 4, 8 or 16; `row_bytes` is 4, 8 or 16, and at least as large. Signed
// elements are sign-extended to the lane, others zero-extended.
Mover mover(int element_bytes, bool is_signed, int row_bytes);

} // namespace lanescope::simt
