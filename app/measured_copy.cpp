// See measured_copy.h.
#include "app/measured_copy.h"

#include "compute/cuda/bandwidth.h"
#include "compute/cuda/cuda_device.h"

namespace lanescope::app {

std::future<double> measure_copy_beside(const device::Device& device)
{
    const auto* gpu = dynamic_cast<const cuda::CudaDevice*>(&device);
    if (!gpu) return {};
    return std::async(std::launch::async, [ordinal = gpu->ordinal()] {
        const auto own = cuda::make_device(ordinal);
        return cuda::measure_copy_gb_per_s(*own);
    });
}

} // namespace lanescope::app
