// Indices of blocks and threads in messages.
#pragma once

#include <string>

#include "compute/dim3.h"

namespace lanescope::simt {

// "(3, 0, 0)".
std::string text(Dim3 index);

} // namespace lanescope::simt
