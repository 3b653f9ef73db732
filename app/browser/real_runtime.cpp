// Stub for systems on which whole programs do not run.
#include "app/run/program/real_runtime.h"

#include "compute/process/programs.h"

namespace lanescope::app {

std::filesystem::path find_real_runtime(const ProgramFile&, const std::filesystem::path&)
{
    refuse_programs();
}

} // namespace lanescope::app
