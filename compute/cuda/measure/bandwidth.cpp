// Device-to-device copies by the driver, timed with events.
#include "compute/cuda/measure/bandwidth.h"

#include <algorithm>

#include "compute/cuda/measure/measure.h"

namespace lanescope::cuda {

double measure_copy_gb_per_s(CudaDevice& device)
{
    device.use();
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    device.check(cudaMemGetInfo(&free_bytes, &all_bytes));
    const std::size_t bytes =
        std::min<std::size_t>(std::size_t{1} << 30, free_bytes / 4 / 256 * 256);
    const auto from = device.allocate(bytes);
    const auto to = device.allocate(bytes);
    device.fill(from->address(), 0x5a, bytes);
    const Work copy = [&] { device.copy(to->address(), from->address(), bytes); };
    const std::vector<Summary> measured =
        measure(device, {&copy, 1}, {.warm_ups = 3, .samples = 15});
    return 2.0 * static_cast<double>(bytes) / (measured[0].ms.median * 1e6);
}

} // namespace lanescope::cuda
