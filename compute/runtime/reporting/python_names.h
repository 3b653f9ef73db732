// Names of a Python kernel's arguments. Numba passes each array as several parameters, and its PTX
// has numbers for names.
#pragma once

#include <string>
#include <vector>

namespace lanescope::runtime {

// Name of the Python argument that each of the kernel's `count` parameters belongs to, from the
// kernel's types in its mangled name and the source file that its line numbers name. Empty if it is
// not a kernel of Numba or its source is not there.
std::vector<std::string> python_parameter_names(const std::vector<std::string>& texts,
                                                const std::string& symbol, std::size_t count);

} // namespace lanescope::runtime
