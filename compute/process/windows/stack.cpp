// The executable's header gives every thread 8 MB (app/cmake/windows.cmake).
#include "compute/process/stack.h"

namespace lanescope {

int with_usual_stack(const std::function<int()>& run)
{
    return run();
}

} // namespace lanescope
