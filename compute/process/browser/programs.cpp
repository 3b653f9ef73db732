// A page cannot start processes.
#include "compute/process/programs.h"

#include "compute/error.h"

namespace lanescope {

void refuse_programs()
{
    throw Error(ExitStatus::device_unavailable, "A browser cannot start programs.",
                "Use the desktop version of Lanescope.");
}

} // namespace lanescope
