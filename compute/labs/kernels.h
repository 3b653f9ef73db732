// The kernels of a lab on one device: each PTX text is loaded when it is first wanted, and kept.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "compute/device/device.h"
#include "compute/labs/lab.h"

namespace lanescope::labs {

class Kernels {
public:
    Kernels(device::Device& device, const Lab& lab) : device_(device), lab_(lab) {}

    const device::Kernel& of(const Variant& variant) { return get(variant.source, variant.kernel); }
    // A kernel that is no variant: `source` is a .cu in the lab's folder.
    const device::Kernel& get(std::string_view source, std::string_view kernel);

private:
    device::Device& device_;
    const Lab& lab_;
    std::map<std::string, std::unique_ptr<device::Module>, std::less<>> modules_;
};

// The grid whose blocks, each covering `tile` elements, cover width × height of them.
constexpr Dim3 grid_over(Dim3 tile, std::int64_t width, std::int64_t height = 1)
{
    const auto blocks = [](std::int64_t elements, std::uint32_t covered) {
        return static_cast<std::uint32_t>((elements + covered - 1) / covered);
    };
    return {blocks(width, tile.x), blocks(height, tile.y), 1};
}

} // namespace lanescope::labs
