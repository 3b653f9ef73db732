// The contraction that PTX allows its assembler: a product and a sum without rounding modifiers may
// become one fma, which rounds only once.
#pragma once

#include <string>

#include "compute/ptx/text/module.h"

namespace lanescope::app {

// The text with fma in place of sums of a product, where PTX leaves the choice to the assembler.
// Fuses the first product of a sum of two products if `first_product`, else the second.
// Equals the module's text if it has no such sums.
std::string contracted(const ptx::Module& module, bool first_product);

// The text with every product and sum rounded by itself, as by ptxas -O0 or --fmad=false. Equals
// the module's text if none leaves the choice.
std::string separately_rounded(const ptx::Module& module);

} // namespace lanescope::app
