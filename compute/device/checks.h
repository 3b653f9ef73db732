// Checks that both engines make before any work starts, with the same messages: launches that don't
// fit the kernel or device, and images and samplings that no device supports.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/device/device.h"

namespace lanescope::device {

// Limits of every device of compute capability 7.5 and up, except shared memory, which differs
// between devices.
struct LaunchLimits {
    Dim3 grid{2147483647u, 65535u, 65535u};
    Dim3 block{1024, 1024, 64};
    std::uint32_t threads_per_block = 1024;
    std::size_t shared_bytes_per_block = 49152;
    std::uint32_t blocks_per_cluster = 16; // more than 8 are not portable
};

LaunchLimits launch_limits(const Properties& properties);

// Throws LaunchError naming the kernel, the parameter (counted from 0) and the sizes.
void check_launch(const Kernel& kernel, const Launch& launch, const LaunchLimits& limits);

// Blocks per cluster of a launch; 1 without clusters.
Dim3 cluster_of(const KernelAttributes& attributes, const Launch& launch);

// Size of all texels, tightly packed. A height or depth of 0 means that the dimension doesn't
// exist.
std::size_t image_bytes(int width, int height, int depth, Format format);
std::size_t image_bytes(const Image& image);

// Throws LaunchError for a size below 1, a depth without a height, or a memory range that doesn't
// match the image's size.
void check_image(int width, int height, int depth);
void check_image_bytes(const Image& image, std::size_t bytes);

// Throws LaunchError for combinations that textures don't support: wrap or mirror without
// normalised coordinates, linear filtering of integer reads, normalised reads of floats.
void check_sampling(Format format, const Sampling& sampling);

} // namespace lanescope::device
