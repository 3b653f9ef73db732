// Sizes and checks of shaped images.
#include "compute/device/shaped_image.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "compute/device/checks.h"

namespace lanescope::device {

ImageShape shape_of(const Image& image)
{
    if (const auto* shaped = dynamic_cast<const HasShape*>(&image)) return shaped->shape();
    return {image.width(), image.height(), image.depth()};
}

ImageShape level_of(const ImageShape& shape, int level)
{
    const auto halved = [level](int extent) {
        return extent == 0 ? 0 : std::max(1, extent >> level);
    };
    return {halved(shape.width), halved(shape.height), halved(shape.depth),
            shape.layers,        shape.cube,           1};
}

std::size_t image_bytes(const ImageShape& shape, Format format)
{
    std::size_t bytes = 0;
    for (int level = 0; level < shape.levels; ++level) {
        const ImageShape part = level_of(shape, level);
        bytes += image_bytes(part.width, part.height, part.depth, format) *
                 static_cast<std::size_t>(std::max(shape.layers, 1));
    }
    return bytes;
}

void check_shape(const ImageShape& shape)
{
    check_image(shape.width, shape.height, shape.depth);
    const int max_levels = static_cast<int>(
        std::bit_width(static_cast<unsigned>(std::max(shape.width, shape.height))));
    if (shape.layers < 0 || (shape.layers > 0 && shape.depth > 0))
        throw LaunchError("Only images of one or two dimensions have layers.",
                          "Give layers or a depth, not both.");
    if (shape.cube && (shape.layers != 6 || shape.width != shape.height))
        throw LaunchError(fmt::format("A cube cannot have {} faces of {} x {} texels.",
                                      shape.layers, shape.width, shape.height),
                          "A cube has six square faces.");
    if (shape.levels > 1 && shape.depth > 0)
        throw LaunchError("Three-dimensional images have only one level.",
                          "Leave out the levels, or the depth.");
    if (shape.levels < 1 || shape.levels > max_levels)
        throw LaunchError(
            fmt::format("An image of {} x {} texels cannot have {} levels.", shape.width,
                        shape.height, shape.levels),
            fmt::format("Choose 1 to {}: the last level is a single texel.", max_levels));
}

} // namespace lanescope::device
