// Looks up kernels by typed names: as in the PTX, as in the source, or demangled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::device {

// "void scale<float>(float*, int)" for "_Z5scaleIfEvPT_i"; the name itself if it is not mangled.
std::string demangled(const std::string& name);

// "scale<float>": without result type and parameters.
std::string short_name(const std::string& name);

// True if Numba mangled the name: it tags a function with its version ("B2v1").
bool is_numba_name(std::string_view name);

// "scale": also without scopes and template arguments.
std::string base_name(const std::string& name);

// The names that match `wanted`: the PTX name, or the demangled name with or without its
// parameters, template arguments and scopes. An exact match excludes all others.
std::vector<std::string> meant(const std::vector<std::string>& names, const std::string& wanted);

} // namespace lanescope::device
