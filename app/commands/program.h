// The whole command line: subcommands, options and exit status.
#pragma once

#include <functional>

#include "compute/error.h"

namespace lanescope::app {

// Parses the arguments and runs the command. Throws Error for bad usage and whatever the command
// throws.
ExitStatus run_program(int argc, char** argv);

// For bugs of the program: EX_SOFTWARE of <sysexits.h>.
constexpr ExitStatus internal_error{70};

// Runs `run` and turns every failure into one line on stderr and an exit status, including output
// that cannot be written, which only shows when flushed. A reader that closes a pipe early
// (`lanescope list | head`) is not an error. With `json`, output is one document (json_output.h).
ExitStatus report_errors(const std::function<ExitStatus()>& run, bool json = false);

} // namespace lanescope::app
