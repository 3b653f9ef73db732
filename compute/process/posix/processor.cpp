// Uses the C library's cached CPU features: the compiler's built-in queries the processor again
// before main(), which takes tens of microseconds on virtual machines.
#include "compute/process/processor.h"

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define HAS(feature, name) CPU_FEATURE_ACTIVE(feature)
#elif defined(__x86_64__)
#define HAS(feature, name) __builtin_cpu_supports(name)
#else
#define HAS(feature, name) false
#endif

namespace lanescope {

bool processor_has_avx2()
{
    return HAS(AVX2, "avx2") && HAS(FMA, "fma");
}

bool processor_has_avx512()
{
    return HAS(AVX512F, "avx512f") && HAS(AVX512BW, "avx512bw") && HAS(AVX512DQ, "avx512dq") &&
           HAS(AVX512VL, "avx512vl");
}

} // namespace lanescope
