// Links the PTX texts of files that were compiled separately (nvcc -rdc=true) into one module.
#pragma once

#include <vector>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// Resolves functions and variables across the texts by name. Local names that clash get the number
// of their text as a suffix ("$str@2"). The result's text is the concatenation of all texts, to
// which its PTX lines refer. Throws Error if two texts define the same name.
Module link(std::vector<Module> parts);

} // namespace lanescope::ptx
