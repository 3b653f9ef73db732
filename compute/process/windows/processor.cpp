// The compiler's built-in also checks that Windows saves the registers.
#include "compute/process/processor.h"

namespace lanescope {

bool processor_has_avx2()
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

bool processor_has_avx512()
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

} // namespace lanescope
