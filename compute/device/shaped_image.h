// Images beyond one array of texels: layers, the faces of a cube, levels of detail. An engine that
// has them implements ShapedImages beside Device.
#pragma once

#include <memory>

#include "compute/device/device.h"

namespace lanescope::device {

// What an image consists of. Layers are images of one size side by side; a cube's are its six faces
// (+x, -x, +y, -y, +z, -z). Each level has half of the width and height of the one before.
struct ImageShape {
    int width = 0;
    int height = 0; // 0: one-dimensional
    int depth = 0;  // 0: at most two-dimensional
    int layers = 0; // 0: not layered
    bool cube = false;
    int levels = 1;

    friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

// What an image is besides, when it has a shape of its own.
class HasShape {
public:
    virtual ~HasShape() = default;
    virtual ImageShape shape() const = 0;
};
ImageShape shape_of(const Image& image);

// One level of an image, as an image without levels.
ImageShape level_of(const ImageShape& shape, int level);
std::size_t image_bytes(const ImageShape& shape, Format format);
// Throws LaunchError for shapes that there are not.
void check_shape(const ImageShape& shape);

class ShapedImages {
public:
    virtual ~ShapedImages() = default;
    // Copies of such an image hold level after level, each layer after layer.
    virtual std::unique_ptr<Image> allocate_shaped(const ImageShape& shape, Format format) = 0;
    // As Device::texture, with the filter between two levels.
    virtual std::unique_ptr<Texture> shaped_texture(const Image& image, const Sampling& sampling,
                                                    Filter between_levels) = 0;
};

} // namespace lanescope::device
