// The PTX version stated in a text decides which drivers accept it. Compilers state their own
// version, although most kernels need only one that is years older.
#pragma once

#include <string>
#include <string_view>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// Minimum version that the module's architecture and instructions require, times ten: 63 is 6.3. If
// the instruction table lacks one of the instructions, returns the version stated in the text.
int lowest_version(const Module& module);

// Returns the text with that version in place of its own; unchanged if it states a
// lower version, or can't be parsed.
std::string at_lowest_version(std::string_view text);

} // namespace lanescope::ptx
