// WSL2 is Linux on Windows.
#include "compute/process/programs.h"

#include "compute/error.h"

namespace lanescope {

void refuse_programs()
{
    throw Error(ExitStatus::device_unavailable,
                "Whole CUDA programs with a main() run only on Linux, and this is Windows.",
                "Run them with Lanescope in WSL2, Linux on Windows, or open their kernels here.");
}

} // namespace lanescope
