// Images beyond a single array of texels: layers, cube faces, mip levels. Implemented in addition
// to Device by engines that support them.
#pragma once

#include <memory>

#include "compute/device/device.h"

namespace lanescope::device {

// Structure of an image. Layers are images of equal size; a cube has six faces as layers (+x, -x,
// +y, -y, +z, -z). Each mip level has half the width and height of the one before.
struct ImageShape {
    int width = 0;
    int height = 0; // 0: one-dimensional
    int depth = 0;  // 0: at most two-dimensional
    int layers = 0; // 0: not layered
    bool cube = false;
    int levels = 1;

    friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

// Implemented by images that have a shape.
class HasShape {
public:
    virtual ~HasShape() = default;
    virtual ImageShape shape() const = 0;
};
ImageShape shape_of(const Image& image);

// One mip level of an image, as an image without mip levels.
ImageShape level_of(const ImageShape& shape, int level);
std::size_t image_bytes(const ImageShape& shape, Format format);
// Throws LaunchError for invalid shapes.
void check_shape(const ImageShape& shape);

class ShapedImages {
public:
    virtual ~ShapedImages() = default;
    // Copies of such an image contain the mip levels in order, each with its layers in order.
    virtual std::unique_ptr<Image> allocate_shaped(const ImageShape& shape, Format format) = 0;
    // Like Device::texture(), with a filter between mip levels.
    virtual std::unique_ptr<Texture> shaped_texture(const Image& image, const Sampling& sampling,
                                                    Filter between_levels) = 0;
};

} // namespace lanescope::device
