// Answers calls to unsupported functions, so that a program that references one still loads and
// gets a message.
#include "compute/runtime/missing.h"

#include <string>
#include <string_view>

#include "compute/runtime/reporting/report.h"

int lanescope::runtime::missing(const char* name)
{
    const bool is_runtime_call = std::string_view(name).find("cuda") != std::string_view::npos;
    Report::instance().missing(
        name, std::string("The program calls ") + name +
                  ", which the lockstep machine does not support: it returns " +
                  (is_runtime_call ? "cudaErrorNotSupported." : "CUDA_ERROR_NOT_SUPPORTED."));
    return 801; // cudaErrorNotSupported
}

#include "compute/runtime/missing.def"
