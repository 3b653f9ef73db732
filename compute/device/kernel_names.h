// Kernels by the names that people type: as in the PTX, as in the source, or demangled.
#pragma once

#include <string>
#include <vector>

namespace lanescope::device {

// "void scale<float>(float*, int)" for "_Z5scaleIfEvPT_i"; the name itself where it is not mangled.
std::string demangled(const std::string& name);

// "scale<float>" of that: without result type and parameters.
std::string short_name(const std::string& name);

// "scale" of that: without scopes and template arguments, too.
std::string base_name(const std::string& name);

// Those of the names that are meant: the PTX's own name, or the demangled one with or without its
// parameters, template arguments and scopes. One that is spelled exactly so is meant alone.
std::vector<std::string> meant(const std::vector<std::string>& names, const std::string& wanted);

} // namespace lanescope::device
