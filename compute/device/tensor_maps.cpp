// Asks the device for a tensor map, and checks the parts that no engine could encode.
#include "compute/device/tensor_maps.h"

#include <bit>

#include <fmt/format.h>

namespace lanescope::device {

TensorMapBytes tensor_map_on(Device& device, const TensorBox& box)
{
    constexpr std::size_t max_rank = 5, max_element = 8;
    constexpr std::uint32_t max_swizzle = 128;
    if (box.sizes.empty() || box.sizes.size() > max_rank || box.extents.size() != box.sizes.size())
        throw LaunchError(fmt::format("A tensor map has {} sizes and {} extents of its box.",
                                      box.sizes.size(), box.extents.size()),
                          "Give one of each for 1 to 5 dimensions.");
    if (!std::has_single_bit(box.element_bytes) || box.element_bytes > max_element)
        throw LaunchError(
            fmt::format("A tensor map cannot have elements of {} bytes.", box.element_bytes),
            "Choose 1, 2, 4 or 8 bytes.");
    const bool swizzled = box.swizzle_bytes != 0;
    if (swizzled && (!std::has_single_bit(box.swizzle_bytes) ||
                     box.swizzle_bytes < max_swizzle / 4 || box.swizzle_bytes > max_swizzle))
        throw LaunchError(
            fmt::format("A tensor map cannot swizzle within {} bytes.", box.swizzle_bytes),
            "Choose 0 (no swizzle), 32, 64 or 128.");
    if (auto* const maps = dynamic_cast<TensorMaps*>(&device)) return maps->tensor_map(box);
    throw LaunchError("This device has no tensor maps.", "Choose another device.");
}

} // namespace lanescope::device
