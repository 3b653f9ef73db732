// What an experiment wants drawn: device memory and its meaning. Views in render/ know these
// shapes, not the labs.
#pragma once

#include <string>
#include <variant>

#include "compute/device/device.h"

namespace lanescope::labs {

// width × height floats, row 0 at the bottom, shown through a colour map between low and high.
struct FieldPicture {
    const device::Buffer* values = nullptr;
    int width = 0;
    int height = 0;
    float low = 0;
    float high = 1;
    std::string quantity; // "temperature"
    std::string unit;     // "°C"
};

// columns × rows vertices of four floats: x, y, z in [-1, 1], z pointing up, and the value that
// picks the colour.
struct SurfacePicture {
    const device::Buffer* vertices = nullptr;
    int columns = 0;
    int rows = 0;
    float low = 0;
    float high = 1;
    std::string quantity;
    std::string unit;
};

// An RGBA8 image that kernels write as a surface.
struct ImagePicture {
    const device::Image* image = nullptr;
};

// count unsigned 32-bit values as bars; high is the top of the scale.
struct BarsPicture {
    const device::Buffer* counts = nullptr;
    int count = 0;
    float high = 1;
    std::string quantity;
    std::string axis; // what the bars stand over: "brightness"
};

// count vertices of two floats (x, y) in [-1, 1] drawn as one line.
struct CurvePicture {
    const device::Buffer* vertices = nullptr;
    int count = 0;
    float low = 0;
    float high = 1;
    std::string quantity;
    std::string unit;
};

using Picture = std::variant<FieldPicture, SurfacePicture, ImagePicture, BarsPicture, CurvePicture>;

} // namespace lanescope::labs
