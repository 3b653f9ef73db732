// A kernel that fails on the GPU: a clear fault, a device that reports being lost, and a process
// that continues. Each test runs in a separate process, because a fault makes the GPU unusable for
// its process.
#include <cstdlib>

#include <unistd.h>

#include "compute/simt/simt_device.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

class Faulting : public OnGpu {
protected:
    void SetUp() override
    {
        GTEST_FLAG_SET(death_test_style, "threadsafe");
        OnGpu::SetUp();
    }
};

// Stores through a bad address, prints the device's messages for that and for a later call, and
// then runs on `simt`. Exits without clean-up, and an alarm ends it if the driver hangs.
[[noreturn]] void fail_at(device::Address address)
{
    alarm(60);
    const auto gpu = cuda::make_device();
    const auto module = gpu->load(kernels_ptx());
    const auto buffer = gpu->allocate(4);
    const auto timer = gpu->timer();
    timer->begin();
    try {
        gpu->launch(module->kernel("store_at"),
                    {.arguments = {address == 1 ? buffer->address() + 1 : address}});
        timer->end();
        gpu->synchronize();
        std::_Exit(1);
    } catch (const device::KernelFault& fault) {
        std::fprintf(stderr, "[%s] %s\n", fault.fault().kind.c_str(), fault.what());
    }
    try {
        gpu->allocate(4);
        std::_Exit(1);
    } catch (const device::DeviceError& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    const auto simt = simt::make_device();
    const auto values = uploaded(*simt, std::vector<unsigned>{1});
    const auto same = simt->load(kernels_ptx());
    simt->launch(same->kernel("add_one"), {.arguments = {*values, *values, 1}});
    std::_Exit(device::download<unsigned>(*simt, values->address(), 1)[0] == 2 ? 0 : 1);
}

TEST_F(Faulting, IllegalAddressIsReportedAndSimtContinues)
{
    EXPECT_EXIT(fail_at(64), testing::ExitedWithCode(0),
                "\\[out_of_bounds\\] Kernel store_at.*cudaErrorIllegalAddress.*--device "
                "simt(.|\n)*can no longer use it");
}

TEST_F(Faulting, MisalignedAddressIsReported)
{
    EXPECT_EXIT(fail_at(1), testing::ExitedWithCode(0),
                "\\[misaligned\\] .*cudaErrorMisalignedAddress");
}

} // namespace
} // namespace lanescope::gpu_tests
