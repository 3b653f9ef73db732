// Windows cannot fork: a driver that crashes takes the program with it.
#include "compute/process/subprocess.h"

namespace lanescope {

std::string run_in_subprocess(const std::function<std::string()>& ask)
{
    return ask();
}

} // namespace lanescope
