// Rewrites a kernel so that it counts its own traffic while it runs: the same PTX with inline
// probes at every site and every basic block, which add to counters in a buffer that the host gives
// (probe_buffer.h). The counts are those of counting/, for the lanes that are really active
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
    bool footprint = false; // also note which warp stored each element of a buffer
    int footprint_element_bytes = 4;
    bool footprint_of_surface = false; // the elements are a surface's texels
    bool touches = false;              // also count the touches of each sector of a buffer
    int request_site = -1; // also note one warp's request at this site; which, says the buffer
    trace::Scope warp_scope = trace::Scope::all; // as in the trace
};

// The text holds the kernel under its own name and parameters, and the setup kernel, which tells
// the probes where their buffer is: launch it with one thread and the arguments of
// ProbeBuffer::setup_arguments before the first launch and whenever one of them changes.
// Kernels that it launches from the device count with it; others of the module are left out.
struct Probed {
    std::string text;
    ProbeOptions options;
    std::vector<trace::Site> sites; // those of sites_of, in its order
    // Counters of a launch: one record a site, then, if there are generic ones, one more of each
    // for what it did in shared memory.
    int records = 0;
    bool launches = false; // kernels of the text launch kernels
    int copies =
        1; // each block adds to one of so many sets of site counters, so that they do not queue
};

constexpr std::string_view setup_kernel = "lsprobe_setup";

// Throws Error: no_such_thing for an unknown kernel; bad_usage, with the kernel's name, for PTX
// older than sm_70 or ISA 6.2 (which has no activemask) and for a text that holds probes already.
Probed probe(const Module& module, const ProbeOptions& options);

} // namespace lanescope::ptx
