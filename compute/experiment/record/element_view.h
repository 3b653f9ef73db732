// Converts a buffer's elements, of any type, to the formats that the views in render/ draw, for
// records of kernels without a drawing kernel.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "compute/experiment/lab/picture.h"
#include "compute/experiment/record/elements.h"

namespace lanescope::labs {

struct ElementShape {
    ElementType type;
    int width = 0;
    int height = 1;
    int channels = 1; // image: numbers per pixel; 1 for elements of 3 or 4 bytes
};

// Size of the drawn data: large surfaces and curves have fewer vertices than elements.
struct ElementCanvas {
    int width = 0;
    int height = 1;
    std::size_t bytes = 0; // size of the drawn data
};
ElementCanvas canvas_of(ViewKind kind, const ElementShape& shape);

struct Range {
    double low = 0;
    double high = 1;
};
// Range of the finite elements, extended to round numbers.
Range range_of_elements(const ElementShape& shape, std::span<const std::byte> elements);

// Field: floats. Surface: four floats per vertex. Curve: two. Bars: u32. Image: RGBA8.
std::vector<std::byte> drawn(ViewKind kind, const ElementShape& shape,
                             std::span<const std::byte> elements, Range range);

} // namespace lanescope::labs
