// Answers calls of functions that are not there, so that a program that names one loads and is
// told.
#include "compute/runtime/missing.h"

#include <string>
#include <string_view>

#include "compute/runtime/telling/report.h"

int lanescope::runtime::missing(const char* name)
{
    const bool of_runtime = std::string_view(name).find("cuda") != std::string_view::npos;
    Report::instance().missing(
        name, std::string("The program calls ") + name +
                  ", which the lockstep machine does not support: it returns " +
                  (of_runtime ? "cudaErrorNotSupported." : "CUDA_ERROR_NOT_SUPPORTED."));
    return 801; // cudaErrorNotSupported
}

#include "compute/runtime/missing.def"
