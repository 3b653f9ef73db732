// Rewrites a kernel so that it counts its own memory traffic while it runs: the same PTX with
// inline probes at every site and basic block, which add to counters in a buffer supplied by the
// host (probe_buffer.h). The counts are those of counting/, for the lanes that are really active
// together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compute/ptx/text/module.h"
#include "compute/trace/trace.h"

namespace lanescope::ptx {

struct ProbeOptions {
    std::string kernel;
    bool footprint = false; // also record the warp that stored each element of a buffer
    int footprint_element_bytes = 4;
    bool footprint_of_surface = false; // the elements are texels of a surface
    bool touches = false;              // also count touches of each sector of a buffer
    // Also record one warp's request at this site; the buffer selects the warp.
    int request_site = -1;
    trace::Scope warp_scope = trace::Scope::all; // as in trace::Trace
};

// Contains the kernel under its own name and parameters, and the setup kernel, which passes the
// buffer's address to the probes: launch it with one thread and the arguments from
// ProbeBuffer::setup_arguments() before the first launch and whenever one of them changes. Kernels
// launched from the device count too; other kernels of the module are removed.
struct Probed {
    std::string text;
    ProbeOptions options;
    std::vector<trace::Site> sites; // same as sites_of(), in its order
    // Counter records per launch: one per site, plus one per site for its shared-memory counts if
    // there are generic sites.
    int records = 0;
    bool launches = false; // kernels of the text make device-side launches
    int copies = 1;        // copies of the site counters, to reduce contention between blocks
};

constexpr std::string_view setup_kernel = "lsprobe_setup";

// Throws Error: no_such_thing for an unknown kernel; bad_usage, with the kernel's name, for PTX
// older than sm_70 or ISA 6.2 (which has no activemask) and for a text that already contains
// probes.
Probed probe(const Module& module, const ProbeOptions& options);

} // namespace lanescope::ptx
