// NVIDIA's CUDA runtime, opened by its path: what each function of ours goes on to. Functions that
// nobody here looks at are jumps (stubs.cpp); the others call theirs by REAL.
#pragma once

#include <cuda_runtime_api.h>

namespace lanescope::runtime::passing {

struct RealFunction {
    const char* name;
    void* function;
};

// Whether NVIDIA's library, which may be an older one, has it.
bool is_there(const RealFunction& function);

} // namespace lanescope::runtime::passing

#define FUNCTION(name)                                                                             \
    extern "C" __attribute__((visibility("hidden")))                                               \
    lanescope::runtime::passing::RealFunction lanescope_real_##name;
#include "functions.h"
#undef FUNCTION

// The function of that name, with its type.
#define REAL(name) (reinterpret_cast<decltype(&::name)>(lanescope_real_##name.function))
// A function with the type of another: for the names that --default-stream per-thread gives.
#define REAL_AS(type, name) (reinterpret_cast<decltype(&::type)>(lanescope_real_##name.function))
