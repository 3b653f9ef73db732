// Stubs of unsupported API functions, whatever their parameters: a call returns
// cudaErrorNotSupported and is named in the report. Must not be combined with CUDA's headers.
#pragma once

namespace lanescope::runtime {

int missing(const char* name);

} // namespace lanescope::runtime

#define MISSING(name)                                                                              \
    extern "C" int name()                                                                          \
    {                                                                                              \
        return lanescope::runtime::missing(#name);                                                 \
    }
