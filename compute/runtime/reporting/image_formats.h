// Translates a program's array and texture descriptors to those of the device interface.
#pragma once

#include <cuda_runtime_api.h>

#include "compute/device/device.h"

namespace lanescope::runtime {

// Returns false for channels that no device image supports.
bool format_of(const cudaChannelFormatDesc& channels, device::Format& format);

device::Sampling sampling_of(const cudaTextureDesc& description, device::Format format);

} // namespace lanescope::runtime
