// Asks something in a process of its own: a driver that keeps state between two questions, or
// crashes over one, does not disturb the program.
#pragma once

#include <functional>
#include <string>

namespace lanescope::app {

// What `ask` returns, run in a fork of this process. Throws Error when the process ended before it
// answered. Call it before this process has threads, or a CUDA or OpenGL context.
std::string run_in_subprocess(const std::function<std::string()>& ask);

} // namespace lanescope::app
