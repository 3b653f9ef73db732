// One kernel run twice on the lockstep machine: plain with the machine's own trace, and probed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compute/trace/trace.h"

namespace lanescope::probes {

struct Run {
    trace::Trace trace;
    std::vector<std::uint32_t> out;
};

struct Shape {
    Dim3 grid{1, 1, 1};
    Dim3 block{32, 1, 1};
};

struct Pair {
    Run plain;
    Run probed;
};

// Runs `kernel(out, in, n)` of the PTX: n is 4096, `in` holds random numbers below 1000, `out` 4 n
// zeros. With `maps`, the footprint of `out` and the touches of `in` are recorded too.
Pair run_both(std::string_view ptx, const std::string& kernel, const Shape& shape, bool maps);

} // namespace lanescope::probes
