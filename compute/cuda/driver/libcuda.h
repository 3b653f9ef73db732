// The functions of the driver's library, found when the program runs.
#pragma once

#include <cuda.h>

namespace lanescope::cuda {

struct Libcuda {
#define CALL(name, symbol) decltype(&::name) name = nullptr;
#define MAYBE(name, symbol) decltype(&::name) name = nullptr;
#include "compute/cuda/driver/calls.def"
    // cudaGL.h, which has these, wants OpenGL's headers. Null where a driver knows no OpenGL.
    CUresult (*register_gl_buffer)(CUgraphicsResource*, unsigned, unsigned) = nullptr;
    CUresult (*register_gl_image)(CUgraphicsResource*, unsigned, unsigned, unsigned) = nullptr;
    CUresult (*get_gl_devices)(unsigned*, CUdevice*, unsigned, int) = nullptr;

    // Any other function; null if there is none.
    void* find(const char* symbol) const;

    void* library = nullptr;
};

// Null if the runtime answers (see older_driver.h): decided once.
const Libcuda* libcuda();

} // namespace lanescope::cuda
