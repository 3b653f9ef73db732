// Products that the assembler fuses with the sums they go into.
#pragma once

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// ptxas makes one rounding of two where neither the product nor the sum names one: mul and add
// become fma. It does so within a basic block, with equal .ftz, where every use of the product is
// such a sum; of two products in one sum it takes the one with fewer uses, else the first (seen in
// what ptxas 13.0 makes of one for sm_80 and sm_90). The sums are rewritten in place, as fma with a
// negated operand where one is subtracted; products stay, since a thread may be looked at while it
// runs. Nothing changes in text that was compiled for a debugger, which is not optimised.
void fuse_products(Module& module);

} // namespace lanescope::ptx
