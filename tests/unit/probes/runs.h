// A launch and its trace, as the lockstep machine or the probes give them, and how two are
// compared.
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
// 4 n zeros. With `maps`, the footprint of `out` and the touches of `in` are recorded too.
Run run(device::Device& device, std::string_view ptx, const std::string& kernel, const Shape& shape,
        bool maps, const trace::WatchedRequest& request = {},
        trace::Scope warp_scope = trace::Scope::all);

void expect_equal(const trace::Trace& machine, const trace::Trace& probes);

// Of a launch's sites (branches too, at most 24), some requests of some warps: those that there are
// and some that there are not.
std::vector<trace::WatchedRequest> sample_requests(const trace::Trace& counted);

// Lane by lane; `name` says which. Of a kernel that launches kernels the address may lie among the
// parameters of a launch: on the heap, which begins elsewhere where there are probes.
void expect_equal(const trace::WatchedRequest& machine, const trace::WatchedRequest& probes,
                  const std::string& name, bool launches);

} // namespace lanescope::probes
