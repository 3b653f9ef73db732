// The version that a PTX text states decides which drivers take it: compilers write their own, and
// most kernels need one that is years older.
#pragma once

#include <string>
#include <string_view>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// The lowest version that the module's architecture and instructions need, times ten: 63 is 6.3.
// Its own version where it has something that the instruction table does not know.
int lowest_version(const Module& module);

// The text with that version in the place of its own; unchanged when it states a lower one, or
// cannot be read.
std::string at_lowest_version(std::string_view text);

} // namespace lanescope::ptx
