// A debug adapter: lets an editor step a kernel forwards and backwards via the Debug Adapter
// Protocol. Threads are the warps of the current block; a variable expands to its 32 lanes.
#pragma once

#include <iosfwd>

#include "compute/error.h"

namespace lanescope::app {

// Serves until the client disconnects. `launch` takes "program" (LAB/VARIANT or FILE.cu), "set"
// (["name=value"]), "text" ("written", "optimised"), "stopOnEntry", "checks", "seed" and "step".
ExitStatus serve_dap(std::istream& in, std::ostream& out);

} // namespace lanescope::app
