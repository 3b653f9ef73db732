// Answers calls of functions that are not there, so that a program that names one loads and is
// told.
#include "compute/runtime/missing.h"

#include <string>

#include "compute/runtime/report.h"

int lanescope::runtime::missing(const char* name)
{
    Report::instance().missing(
        name,
        std::string("The program calls ") + name +
            ", which the lockstep machine does not support: it returns cudaErrorNotSupported.");
    return 801; // cudaErrorNotSupported
}

#include "compute/runtime/missing.def"
