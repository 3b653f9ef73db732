// A launch and its trace, from the lockstep machine or from the probes, and how to compare two of
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compute/device/device.h"

namespace lanescope::probes {

struct Run {
    trace::Trace trace;
    std::vector<std::uint32_t> out;
};

struct Shape {
    Dim3 grid{1, 1, 1};
    Dim3 block{32, 1, 1};
};

// Launches `kernel(out, in, n)` of the PTX: n is 4096, `in` has random numbers below 1000, `out`
// has 4 n zeros. With `maps`, also records the footprint of `out` and the touches of `in`.
Run run(device::Device& device, std::string_view ptx, const std::string& kernel, const Shape& shape,
        bool maps, const trace::WatchedRequest& request = {},
        trace::Scope warp_scope = trace::Scope::all);

void expect_equal(const trace::Trace& machine, const trace::Trace& probes);

// Returns requests of three warps, at up to 24 or so memory sites with requests. Some of the
// returned requests do not exist.
std::vector<trace::WatchedRequest> sample_requests(const trace::Trace& counted);

// Compares two requests lane by lane; `name` labels failures. With `launches`, all addresses may be
// shifted alike: parameters of launches are on the heap, which starts elsewhere with probes.
void expect_equal(const trace::WatchedRequest& machine, const trace::WatchedRequest& probes,
                  const std::string& name, bool launches);

} // namespace lanescope::probes
