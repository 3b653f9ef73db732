// Memory, copies and properties of the GPU device.
#include <cuda_runtime_api.h>

#include <numeric>

#include "compute/cuda/measure/bandwidth.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

using testing::HasSubstr;

std::vector<unsigned> ramp(std::size_t count)
{
    std::vector<unsigned> values(count);
    std::iota(values.begin(), values.end(), 1u);
    return values;
}

TEST_F(OnGpu, BuffersKeepUploadedData)
{
    for (std::size_t count : {1u, 31u, 1023u, 1u << 22}) {
        const std::vector<unsigned> values = ramp(count);
        const auto buffer = uploaded(*gpu, values);
        EXPECT_EQ(buffer->bytes(), 4 * count);
        EXPECT_EQ(buffer->address() % 256, 0u);
        EXPECT_EQ(device::download<unsigned>(*gpu, buffer->address(), count), values);
    }
}

TEST_F(OnGpu, CopiesAndFillsKeepOrder)
{
    const std::vector<unsigned> values = ramp(1000);
    const auto from = uploaded(*gpu, values);
    const auto to = gpu->allocate(4000);
    gpu->fill(to->address(), 0xab, 4000);
    gpu->copy(to->address() + 8, from->address(), 400);
    const auto result = device::download<unsigned>(*gpu, to->address(), 1000);
    EXPECT_EQ(result[1], 0xababababu);
    EXPECT_EQ(result[2], 1u);
    EXPECT_EQ(result[101], 100u);
    EXPECT_EQ(result[102], 0xababababu);
}

TEST_F(OnGpu, UploadMayReusePinnedMemoryImmediately)
{
    unsigned* pinned = nullptr;
    constexpr std::size_t count = 1 << 22;
    ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), 4 * count), cudaSuccess);
    std::fill_n(pinned, count, 7u);
    const auto buffer = gpu->allocate(4 * count);
    gpu->upload(buffer->address(), std::as_bytes(std::span(pinned, count)));
    std::fill_n(pinned, count, 8u);
    const auto result = device::download<unsigned>(*gpu, buffer->address(), count);
    EXPECT_EQ(std::count(result.begin(), result.end(), 7u), static_cast<std::ptrdiff_t>(count));
    cudaFreeHost(pinned);
}

TEST_F(OnGpu, WrappedMemoryBelongsToItsOwner)
{
    const auto owner = uploaded(*gpu, ramp(16));
    gpu->wrap(reinterpret_cast<void*>(owner->address()), 64).reset();
    EXPECT_EQ(device::download<unsigned>(*gpu, owner->address(), 16), ramp(16));
}

TEST_F(OnGpu, OversizedAllocationLeavesNoTrace)
{
    try {
        gpu->allocate(std::size_t{1} << 50);
        FAIL() << "a pebibyte was allocated";
    } catch (const device::DeviceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("cudaErrorMemoryAllocation"));
        EXPECT_THAT(error.what(), HasSubstr("Choose a smaller size"));
    }
    EXPECT_FALSE(gpu->lost());
    EXPECT_NO_THROW(uploaded(*gpu, ramp(4)));
}

TEST_F(OnGpu, PropertiesDescribeTheDevice)
{
    const device::Properties& properties = gpu->properties();
    EXPECT_FALSE(properties.name.empty());
    EXPECT_FALSE(properties.driver.empty());
    EXPECT_GE(properties.compute_major * 10 + properties.compute_minor, 75);
    EXPECT_GT(properties.multiprocessors, 0);
    EXPECT_GE(properties.shared_per_block_optin, 48u * 1024);
    EXPECT_GE(properties.warps_per_multiprocessor, 32);
    EXPECT_GT(properties.l2_bytes, 0u);
}

TEST_F(OnGpu, UnknownGpuIsRefused)
{
    EXPECT_THROW(cuda::make_device(1000), device::DeviceError);
    EXPECT_THROW(cuda::make_device(-1), device::DeviceError);
}

TEST_F(OnGpu, CopyBandwidthIsPlausible)
{
    const double gb_per_s = cuda::measure_copy_gb_per_s(*gpu);
    RecordProperty("copy_gb_per_s", std::to_string(gb_per_s));
    EXPECT_GT(gb_per_s, 20);
    EXPECT_LT(gb_per_s, 50'000);
}

} // namespace
} // namespace lanescope::gpu_tests
