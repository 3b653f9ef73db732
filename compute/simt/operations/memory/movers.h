// Copies between memory and rows of lanes, by the element's size and sign and the lane's size.
#pragma once

#include "compute/simt/machine/program.h"

// For what loads and stores for a kernel: whether its accesses race is a question to the kernel,
// and the checks answer it. The sanitizer of this program's own threads is not asked.
#ifdef __SANITIZE_THREAD__
#define OF_THE_KERNEL __attribute__((no_sanitize("thread")))
#else
#define OF_THE_KERNEL
#endif

namespace lanescope::simt {

// `element_bytes` 1, 2, 4, 8 or 16; `row_bytes` 4, 8 or 16, not smaller than the element. Signed
// elements are sign-extended to the lane, others zero-extended.
Mover mover(int element_bytes, bool is_signed, int row_bytes);

} // namespace lanescope::simt
