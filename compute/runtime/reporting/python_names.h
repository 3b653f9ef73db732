// Names of a Python kernel's arguments. Numba passes each array as several
// parameters, which its PTX only numbers.
#pragma once

#include <string>
#include <vector>

namespace lanescope::runtime {

// Returns, for each of the kernel's `count` parameters, the Python argument that it belongs to,
// from the types in the mangled name and the source file in the line information. Empty if it is
// not a Numba kernel or its source is missing.
std::vector<std::string> python_parameter_names(const std::vector<std::string>& texts,
                                                const std::string& symbol, std::size_t count);

} // namespace lanescope::runtime
