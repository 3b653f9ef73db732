// Prefers a usable GPU; keeps the reason in any case, because it is displayed.
#include "app/run/engine/engine.h"

#include <fmt/format.h>

#include "compute/cuda/cuda_device.h"
#include "compute/simt/machine/state/options.h"
#include "compute/simt/simt_device.h"

namespace lanescope::app {

OpenedEngine open_engine(std::string_view choice)
{
    return open_engine(choice, simt::Options{});
}

OpenedEngine open_engine(std::string_view choice, const simt::Options& simt_options)
{
    if (choice == "simt") return {simt::make_device(simt_options), "simt was requested."};
    const cuda::Availability gpu = cuda::availability();
    if (gpu.available) {
        auto device = cuda::make_device();
        const std::string name = device->properties().name;
        return {std::move(device), fmt::format("CUDA uses {}.", name)};
    }
    if (choice == "cuda") throw device::DeviceError(gpu.reason, gpu.cure);
    return {simt::make_device(simt_options), "No GPU: " + gpu.reason};
}

std::optional<int> drawing_gpu(std::string_view choice)
{
    if (choice == "simt" || !cuda::availability().available) return std::nullopt;
    return 0;
}

} // namespace lanescope::app
