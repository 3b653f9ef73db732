// Copies between memory and rows of lanes, by the element's size and sign and the lane's size.
#pragma once

#include "compute/simt/machine/program.h"

namespace lanescope::simt {

// `element_bytes` 1, 2, 4, 8 or 16; `row_bytes` 4, 8 or 16, not smaller than the element. Signed
// elements are sign-extended to the lane, others zero-extended.
Mover mover(int element_bytes, bool is_signed, int row_bytes);

} // namespace lanescope::simt
