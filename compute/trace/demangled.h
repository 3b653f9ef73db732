// C++ names in readable form, with a limit: a name of a few hundred letters can stand for a text of
// any length, because it may refer to its own parts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace lanescope {

// The name in readable form; empty if it is no mangled name. A text above `max_length` is cut, and
// ends in "…". Without the C++ library's own limit (see demangled.cpp), a name that refers to its
// parts too often counts as no mangled name.
std::optional<std::string> demangled_name(const std::string& mangled,
                                          std::size_t max_length = 4096);

} // namespace lanescope
