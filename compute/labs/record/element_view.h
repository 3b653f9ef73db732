// A buffer's elements as they are, of any type, made into what the views of render/ draw: for
// records of kernels that nobody wrote a drawing kernel for.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "compute/labs/picture.h"
#include "compute/labs/record/elements.h"

namespace lanescope::labs {

struct ElementShape {
    ElementType type;
    int width = 0;
    int height = 1;
    int channels = 1; // of an image: numbers per pixel, or one element of 3 or 4 bytes
};

// What is drawn of so many elements: a surface or a curve of many has fewer vertices.
struct ElementCanvas {
    int width = 0;
    int height = 1;
    std::size_t bytes = 0; // of what is drawn
};
ElementCanvas canvas_of(ViewKind kind, const ElementShape& shape);

struct Range {
    double low = 0;
    double high = 1;
};
// Where the finite ones of the elements lie, to round numbers.
Range range_of_elements(const ElementShape& shape, std::span<const std::byte> elements);

// Field: floats. Surface: four floats a vertex. Curve: two. Bars: u32. Image: RGBA8.
std::vector<std::byte> drawn(ViewKind kind, const ElementShape& shape,
                             std::span<const std::byte> elements, Range range);

} // namespace lanescope::labs
