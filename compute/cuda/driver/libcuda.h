// Functions of the driver library, looked up at run time.
#pragma once

#include <cuda.h>

namespace lanescope::cuda {

struct Libcuda {
#define CALL(name, symbol) decltype(&::name) name = nullptr;
#define MAYBE(name, symbol) decltype(&::name) name = nullptr;
#include "compute/cuda/driver/calls.def"
    // Declared here because cudaGL.h needs OpenGL's headers. Null if the driver has no OpenGL
    // support.
    CUresult (*register_gl_buffer)(CUgraphicsResource*, unsigned, unsigned) = nullptr;
    CUresult (*register_gl_image)(CUgraphicsResource*, unsigned, unsigned, unsigned) = nullptr;
    CUresult (*get_gl_devices)(unsigned*, CUdevice*, unsigned, int) = nullptr;

    // Looks up any other function; null if it does not exist.
    void* find(const char* symbol) const;

    void* library = nullptr;
};

// Null if the runtime serves the calls (see older_driver.h). Decided once.
const Libcuda* libcuda();

} // namespace lanescope::cuda
