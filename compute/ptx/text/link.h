// Links the PTX texts of files that were compiled separately (nvcc -rdc=true) into one module.
#pragma once

#include <vector>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// Functions and variables of one text are found in the others by name. Local names that clash get
// the number of their text ("$str@2"). The linked text is all texts in a row, so PTX lines count
// through it. Throws Error if two texts define the same name.
Module link(std::vector<Module> parts);

} // namespace lanescope::ptx
