// What both engines refuse before any work starts, in the same sentences: launches that do not fit
// the kernel or the device, images and samplings that no device has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/device/device.h"

namespace lanescope::device {

// What every device of compute capability 7.5 and up allows; shared memory differs by device.
struct LaunchLimits {
    Dim3 grid{2147483647u, 65535u, 65535u};
    Dim3 block{1024, 1024, 64};
    std::uint32_t threads_per_block = 1024;
    std::size_t shared_bytes_per_block = 49152;
};

LaunchLimits launch_limits(const Properties& properties);

// Throws LaunchError that names the kernel, the parameter (counted from 0) and the sizes.
void check_launch(const Kernel& kernel, const Launch& launch, const LaunchLimits& limits);

// Bytes of all texels, tightly packed. A height or depth of 0 means that there is no such
// dimension.
std::size_t image_bytes(int width, int height, int depth, Format format);
std::size_t image_bytes(const Image& image);

// Throws LaunchError: a size below 1, a depth without a height, or a memory range that is not the
// image's.
void check_image(int width, int height, int depth);
void check_image_bytes(const Image& image, std::size_t bytes);

// Throws LaunchError for what textures cannot do: wrap or mirror without normalised coordinates,
// linear filtering of values that are read as integers, normalised reads of floats.
void check_sampling(Format format, const Sampling& sampling);

} // namespace lanescope::device
