// A function of the interface that is not there, whatever its parameters are: a call returns
// cudaErrorNotSupported and is named in the report. No header of CUDA's may be beside it.
#pragma once

namespace lanescope::runtime {

int missing(const char* name);

} // namespace lanescope::runtime

#define MISSING(name)                                                                              \
    extern "C" int name()                                                                          \
    {                                                                                              \
        return lanescope::runtime::missing(#name);                                                 \
    }
