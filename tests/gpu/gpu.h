// Fixture of the GPU tests, which skips with a reason if there is no GPU.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "assets/assets.h"
#include "compute/cuda/cuda_device.h"

namespace lanescope::gpu_tests {

class OnGpu : public testing::Test {
protected:
    void SetUp() override
    {
        const cuda::Availability here = cuda::availability();
        if (!here.available) GTEST_SKIP() << "No GPU: " << here.reason;
        gpu = cuda::make_device();
    }

    std::unique_ptr<cuda::CudaDevice> gpu;
};

inline std::string_view kernels_ptx()
{
    return assets::find("tests/gpu/kernels.ptx").value();
}

template <class T>
std::unique_ptr<device::Buffer> uploaded(device::Device& device, const std::vector<T>& values)
{
    auto buffer = device.allocate(values.size() * sizeof(T));
    device::upload(device, buffer->address(), std::span<const T>(values));
    return buffer;
}

} // namespace lanescope::gpu_tests
