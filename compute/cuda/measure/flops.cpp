// A kernel of independent multiply-adds, timed by events.
#include "compute/cuda/measure/flops.h"

#include "compute/cuda/measure/flops_kernel.h"
#include "compute/cuda/measure/measure.h"

namespace lanescope::cuda {

double measure_fp32_gflop_per_s(CudaDevice& device)
{
    device.use();
    // Eight blocks of 256 fill a multiprocessor; several rounds of them even out their ends.
    constexpr unsigned blocks_per_multiprocessor = 8 * 8;
    const unsigned blocks =
        blocks_per_multiprocessor * static_cast<unsigned>(device.properties().multiprocessors);
    const auto results = device.allocate(std::size_t{blocks} * multiply_add_block * sizeof(float));
    auto* const to = reinterpret_cast<float*>(results->address());
    auto* const stream = static_cast<cudaStream_t>(device.stream());
    const Work work = [&] { device.check(queue_multiply_add(to, blocks, stream)); };
    const std::vector<Summary> measured =
        measure(device, {&work, 1}, {.warm_ups = 3, .samples = 15});
    const double operations =
        2.0 * multiply_add_chains * multiply_add_rounds * multiply_add_block * blocks;
    return operations / (measured[0].median_ms * 1e6);
}

} // namespace lanescope::cuda
