// Kernels of a lab on one device: each PTX text is loaded on first use, and kept.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "compute/device/device.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::labs {

class Kernels {
public:
    Kernels(device::Device& device, const Lab& lab) : device_(device), lab_(lab) {}

    // `source` is a .cu file in the lab's folder.
    const device::Kernel& get(std::string_view source, std::string_view kernel);
    const device::Module& module(std::string_view source);

private:
    device::Device& device_;
    const Lab& lab_;
    std::map<std::string, std::unique_ptr<device::Module>, std::less<>> modules_;
};

} // namespace lanescope::labs
