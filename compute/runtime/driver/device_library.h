// NVIDIA's device library (libcudadevrt.a), which contains machine code only.
#pragma once

#include <string>
#include <vector>

namespace lanescope::runtime {

// Adds the library's functions that these texts declare without defining, unless they were added
// before: the grid-wide barrier, which Numba's cooperative groups call, and the function that sets
// the condition of a graph's node.
void add_device_library(std::vector<std::string>& texts);

} // namespace lanescope::runtime
