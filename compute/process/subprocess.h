// Runs a query in a separate process, so that a driver that keeps state between queries, or crashes
// in one, does not disturb the program.
#pragma once

#include <functional>
#include <string>

namespace lanescope {

// Returns the result of `ask`, run in a fork of this process; on Windows, which has none, in this
// one. Throws Error if the process ended before it answered. Call before this process has threads,
// or a CUDA or OpenGL context.
std::string run_in_subprocess(const std::function<std::string()>& ask);

} // namespace lanescope
