// Measured on a device of its own, by a thread that ends with the measurement.
#include "app/measure/measured_roofs.h"

#include "compute/cuda/cuda_device.h"
#include "compute/cuda/measure/bandwidth.h"
#include "compute/cuda/measure/flops.h"
#include "compute/threads.h"

namespace lanescope::app {

std::future<Roofs> measure_roofs_in_background(const device::Device& device)
{
    const auto* gpu = dynamic_cast<const cuda::CudaDevice*>(&device);
    if (!gpu) return {};
    return start_in_background([ordinal = gpu->ordinal()] {
        const auto own = cuda::make_device(ordinal);
        return Roofs{cuda::measure_copy_gb_per_s(*own), cuda::measure_fp32_gflop_per_s(*own),
                     cuda::measure_add_min_gop_per_s(*own)};
    });
}

} // namespace lanescope::app
