// The command line as a whole: every subcommand, its options, and the exit status.
#pragma once

#include <functional>

#include "compute/error.h"

namespace lanescope::app {

// Parses the arguments and runs what they ask for. Throws Error for bad usage and for whatever the
// command throws.
ExitStatus run_program(int argc, char** argv);

// For what can only be a mistake in the program itself: EX_SOFTWARE of <sysexits.h>.
constexpr ExitStatus internal_error{70};

// Runs it, and turns whatever goes wrong into one line on stderr and the exit status that fits:
// also an output that cannot be written, which shows only once it is flushed. Where the reader of
// a pipe wants no more (`lanescope list | head`), nothing is wrong. With `json` the output is one
// document (json_output.h).
ExitStatus report_errors(const std::function<ExitStatus()>& run, bool json = false);

} // namespace lanescope::app
