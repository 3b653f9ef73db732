// PTX for the tests: nvcc's output for the kernels in this folder, and small texts around a body.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// PTX of tests/unit/ptx/kernels/NAME.cu.
std::string_view compiled(std::string_view name);
std::vector<std::string_view> all_compiled();

// A module with one kernel `k(.param .u64 data, .param .u32 n)` that declares the registers %p, %r,
// %rd, %f and %fd. The body starts on line 5.
std::string around(std::string_view body);
Module parse_body(std::string_view body);

// Returns the parse error of `text`, or the reason why its first unsupported function is refused;
// empty if there is neither.
std::string error_of(std::string_view text);

} // namespace lanescope::ptx
