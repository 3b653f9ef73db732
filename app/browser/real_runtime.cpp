// A browser cannot reach a GPU's runtime.
#include "app/run/program/real_runtime.h"

#include "compute/error.h"

namespace lanescope::app {

std::filesystem::path find_real_runtime(const ProgramFile&, const std::filesystem::path&)
{
    throw Error(ExitStatus::device_unavailable, "A browser has no CUDA runtime.",
                "Use the desktop version of Lanescope.");
}

} // namespace lanescope::app
