// fma() and fmaf() of the C library, which the linker takes from here instead of from MinGW's.
#include "compute/process/windows/fused.h"

#include "compute/process/processor.h"

namespace {

const bool has_instruction = lanescope::processor_has_avx2();

__attribute__((target("fma"))) double by_instruction(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

__attribute__((target("fma"))) float by_instruction(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

} // namespace

extern "C" double fma(double a, double b, double c)
{
    return has_instruction ? by_instruction(a, b, c) : lanescope::fused_in_integers(a, b, c);
}

extern "C" float fmaf(float a, float b, float c)
{
    return has_instruction ? by_instruction(a, b, c) : lanescope::fused_in_integers(a, b, c);
}
