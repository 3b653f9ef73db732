// The command line as a whole: every subcommand, its options, and the exit status.
#pragma once

#include "compute/error.h"

namespace lanescope::app {

// Parses the arguments and runs what they ask for. Throws Error for bad usage and for whatever the
// command throws.
ExitStatus run_program(int argc, char** argv);

} // namespace lanescope::app
