// NVIDIA's device library (libcudadevrt.a), which has machine code only.
#pragma once

#include <string>
#include <vector>

namespace lanescope::runtime {

// Adds the library's functions that these texts declare without defining: the barrier of a whole
// grid, which Numba's cooperative groups call.
void add_device_library(std::vector<std::string>& texts);

} // namespace lanescope::runtime
