// Fuses products with sums where ptxas does.
#pragma once

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// Without explicit rounding modes, ptxas fuses mul and add into fma. It does so within a basic
// block, with equal .ftz, if every use of the product is such a sum. Of two products in a sum it
// fuses the one with fewer uses, else the first (observed in the output of ptxas 13.0 for sm_80 and
// sm_90). Sums are rewritten in place, as fma with a negated operand for subtractions. Products are
// kept, because their registers may be inspected while a thread runs. Text compiled for a debugger
// is not optimised and stays unchanged.
void fuse_products(Module& module);

} // namespace lanescope::ptx
