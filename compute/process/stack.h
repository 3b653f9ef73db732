// Stacks of the size that systems usually give, also where a limit (ulimit -s) makes them smaller
// than compilers and decoders need.
#pragma once

#include <functional>

namespace lanescope {

// Calls `run`: on the stack that there is, or, where that is smaller than usual, on one of the
// usual size. The stacks of all threads that begin from now on have that size, too. For main()
// alone.
int with_usual_stack(const std::function<int()>& run);

} // namespace lanescope
