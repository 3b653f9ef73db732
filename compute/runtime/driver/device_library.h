// NVIDIA's device library (libcudadevrt.a), which has machine code only.
#pragma once

#include <string>
#include <vector>

namespace lanescope::runtime {

// Adds the functions of the library that these texts declare without defining them: the barrier of
// a whole grid, as cooperative groups of Numba call it.
void add_device_library(std::vector<std::string>& texts);

} // namespace lanescope::runtime
