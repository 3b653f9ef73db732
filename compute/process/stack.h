// Provides stacks of the usual size even where a limit (ulimit -s) makes them smaller than
// compilers and decoders need.
#pragma once

#include <functional>

namespace lanescope {

// Calls `run` on the current stack or, if that is smaller than usual, on one of the usual size.
// Threads started later get that size, too. For main() only.
int with_usual_stack(const std::function<int()>& run);

} // namespace lanescope
