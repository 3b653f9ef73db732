// Tensor maps (CUtensorMap): descriptions of boxes in global memory, which kernels pass to
// cp.async.bulk.tensor. Implemented in addition to Device by engines that support them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compute/device/device.h"

namespace lanescope::device {

constexpr std::size_t tensor_map_bytes = 128;
using TensorMapBytes = std::array<std::byte, tensor_map_bytes>;

// A packed tensor, and the box that a copy moves. Elements outside of the tensor are zeros.
struct TensorBox {
    Address address = 0;
    std::size_t element_bytes = 4;        // 1, 2, 4 or 8
    std::vector<std::uint64_t> sizes{};   // in elements, fastest dimension first
    std::vector<std::uint32_t> extents{}; // of the box, in elements
    std::uint32_t swizzle_bytes = 0;      // 0, 32, 64 or 128
};

class TensorMaps {
public:
    virtual ~TensorMaps() = default;
    // Throws LaunchError with the reason if such a box is impossible.
    virtual TensorMapBytes tensor_map(const TensorBox& box) = 0;
};

// Throws LaunchError if the device has no tensor maps.
TensorMapBytes tensor_map_on(Device& device, const TensorBox& box);

} // namespace lanescope::device
