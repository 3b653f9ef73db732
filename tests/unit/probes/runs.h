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

// Launches `kernel(out, in, n)` of the PTX: n is 4096, `in` holds random numbers below 1000, `out`
// 4 n zeros. With `maps`, also records the footprint of `out` and the touches of `in`.
Run run(device::Device& device, std::string_view ptx, const std::string& kernel, const Shape& shape,
        bool maps, const trace::WatchedRequest& request = {},
        trace::Scope warp_scope = trace::Scope::all);

void expect_equal(const trace::Trace& machine, const trace::Trace& probes);

// Samples requests of some warps at up to 24 sites of a launch (including branches): requests that
// exist and some that do not.
std::vector<trace::WatchedRequest> sample_requests(const trace::Trace& counted);

// Compares lane by lane; `name` labels failures. In kernels that launch kernels an address may be
// in a launch's parameters, which are on the heap; with probes the heap starts elsewhere.
void expect_equal(const trace::WatchedRequest& machine, const trace::WatchedRequest& probes,
                  const std::string& name, bool launches);

} // namespace lanescope::probes
