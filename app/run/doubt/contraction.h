// The contraction that PTX allows its assembler: a product and a sum without rounding modifiers may
// become one fma, which rounds once less.
#pragma once

#include <string>

#include "compute/ptx/text/module.h"

namespace lanescope::app {

// The text with fma in place of sums of a product, where PTX leaves the choice to the assembler.
// Of a sum of two products, the second becomes the fma's addend if `first_product`, else the first.
// Equals the module's text if it has no such sums.
std::string contracted(const ptx::Module& module, bool first_product);

} // namespace lanescope::app
