// A debug adapter: an editor steps a kernel backwards by the Debug Adapter Protocol. Threads are
// the warps of the block that runs; a variable opens to its 32 lanes.
#pragma once

#include <iosfwd>

#include "compute/error.h"

namespace lanescope::app {

// Until the client disconnects. `launch` takes "program" (LAB/VARIANT or FILE.cu), "set"
// (["name=value"]), "text" ("written", "optimised"), "stopOnEntry", "checks", "seed" and "step".
ExitStatus serve_dap(std::istream& in, std::ostream& out);

} // namespace lanescope::app
