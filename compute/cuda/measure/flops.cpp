// Kernels of independent operations, timed with events.
#include "compute/cuda/measure/flops.h"

#include <stdexcept>

#include "assets/assets.h"
#include "compute/cuda/measure/flops_kernel.h"
#include "compute/cuda/measure/measure.h"

namespace lanescope::cuda {

namespace {

// Rate of a kernel whose threads execute two operations per chain and round, in 10⁹ per second.
double giga_operations_per_s(CudaDevice& device, std::string_view kernel, float first, float second)
{
    const auto ptx = assets::find("compute/cuda/measure/flops_kernel.ptx");
    if (!ptx) throw std::logic_error("The kernels of flops_kernel.cu are not embedded.");
    const auto module = device.load(*ptx);
    // Eight blocks of 256 threads fill a multiprocessor; several waves of them even out the tail.
    constexpr unsigned blocks_per_multiprocessor = 8 * 8;
    const unsigned blocks =
        blocks_per_multiprocessor * static_cast<unsigned>(device.properties().multiprocessors);
    const auto results = device.allocate(std::size_t{blocks} * flops_block * sizeof(float));
    const device::Launch launch{.grid = {blocks, 1, 1},
                                .block = {flops_block, 1, 1},
                                .arguments = {*results, first, second}};
    const Work work = [&] { device.launch(module->kernel(kernel), launch); };
    const std::vector<Summary> measured =
        measure(device, {&work, 1}, {.warm_ups = 3, .samples = 15});
    const double operations = 2.0 * flops_chains * flops_rounds * flops_block * blocks;
    return operations / (measured[0].ms.median * 1e6);
}

} // namespace

double measure_fp32_gflop_per_s(CudaDevice& device)
{
    return giga_operations_per_s(device, "multiply_add", 0.5f, 1.0f);
}

double measure_add_min_gop_per_s(CudaDevice& device)
{
    return giga_operations_per_s(device, "add_min", 1.0f, 1e6f);
}

} // namespace lanescope::cuda
