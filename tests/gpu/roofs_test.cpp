// Measured roofs: positive, and within the hardware's limits.
#include <cmath>

#include "compute/cuda/measure/bandwidth.h"
#include "compute/cuda/measure/flops.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

class Roofs : public OnGpu {};

TEST_F(Roofs, MultiplyAddsStayBelowThePhysicalBound)
{
    const double rate = cuda::measure_fp32_gflop_per_s(*gpu);
    const device::Properties& properties = gpu->properties();
    // Upper bound: no multiprocessor so far has more than 128 FP32 lanes or a clock above 4 GHz.
    const double bound = 2.0 * 128 * 4 * properties.multiprocessors;
    EXPECT_TRUE(std::isfinite(rate));
    EXPECT_LT(rate, bound);
    // Lower bound for a healthy GPU: 64 lanes at 0.5 GHz, half of them busy.
    EXPECT_GT(rate, 2.0 * 64 * 0.5 / 2 * properties.multiprocessors);
    RecordProperty("fp32_gflop_per_s", std::to_string(rate));
    std::printf("FP32 FMA: %.0f GFLOP/s of at most %.0f\n", rate, bound);
}

TEST_F(Roofs, AreRepeatable)
{
    const double first = cuda::measure_fp32_gflop_per_s(*gpu);
    const double second = cuda::measure_fp32_gflop_per_s(*gpu);
    EXPECT_NEAR(second / first, 1, 0.15);
}

TEST_F(Roofs, ComputingIsFarFasterThanCopying)
{
    EXPECT_GT(cuda::measure_fp32_gflop_per_s(*gpu), cuda::measure_copy_gb_per_s(*gpu));
}

} // namespace
} // namespace lanescope::gpu_tests
