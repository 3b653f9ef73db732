// No header of CUDA's here: these names stand for any parameters.
#include <string>

#include "compute/runtime/report.h"

namespace {

int missing(const char* name)
{
    lanescope::runtime::Report::instance().missing(
        name,
        std::string("The program calls ") + name +
            ", which the lockstep machine does not support: it returns cudaErrorNotSupported.");
    return 801; // cudaErrorNotSupported
}

} // namespace

#define MISSING(name)                                                                              \
    extern "C" int name()                                                                          \
    {                                                                                              \
        return missing(#name);                                                                     \
    }
#include "compute/runtime/missing.def"
