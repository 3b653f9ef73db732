// Arrays and textures as programs describe them, in the words of the device interface.
#pragma once

#include <cuda_runtime_api.h>

#include "compute/device/device.h"

namespace lanescope::runtime {

// False for channels that no image here has.
bool format_of(const cudaChannelFormatDesc& channels, device::Format& format);

device::Sampling sampling_of(const cudaTextureDesc& description, device::Format format);

} // namespace lanescope::runtime
