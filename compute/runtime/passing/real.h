// NVIDIA's CUDA runtime, opened by path, to which our functions forward. Functions that need no
// bookkeeping are jumps (stubs.cpp); the others call NVIDIA's function through REAL.
#pragma once

#include <cuda_runtime_api.h>

namespace lanescope::runtime::passing {

struct RealFunction {
    const char* name;
    void* function;
};

// True if NVIDIA's library, which may be older, exports the function.
bool is_exported(const RealFunction& function);

} // namespace lanescope::runtime::passing

#define FUNCTION(name)                                                                             \
    extern "C" __attribute__((visibility("hidden")))                                               \
    lanescope::runtime::passing::RealFunction lanescope_real_##name;
#include "functions.h"
#undef FUNCTION

// NVIDIA's function `name`, with its type.
#define REAL(name) (reinterpret_cast<decltype(&::name)>(lanescope_real_##name.function))
// NVIDIA's function `name` with the type of another, for the names of per-thread default streams.
#define REAL_AS(type, name) (reinterpret_cast<decltype(&::type)>(lanescope_real_##name.function))
