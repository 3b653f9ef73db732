// A height field in space: a lit grid of vertices, coloured by value, seen from an orbiting camera.
#pragma once

#include <optional>

#include "render/gl/objects.h"
#include "render/gl/program.h"
#include "render/views/colours/colour_map_texture.h"
#include "render/views/colours/scale.h"
#include "render/views/paint/camera.h"
#include "render/views/paint/pixels.h"

namespace lanescope::render {

struct SurfaceData {
    GLuint buffer = 0; // columns × rows vertices of four floats: x, y, z in [-1, 1] and the value
    int columns = 0;
    int rows = 0;
};

class SurfaceView {
public:
    SurfaceView();
    // Draws into the current framebuffer, which needs a depth buffer; clears depth in the viewport.
    // Grids finer than `max_cells` per side (default: what this OpenGL draws smoothly) are
    // thinned, but never lose the last row and column.
    void draw(const SurfaceData& data, const Scale& scale, const Camera& camera,
              const PixelRect& viewport, std::optional<int> max_cells = std::nullopt);

private:
    struct Shape {
        int columns, rows, step;
        friend bool operator==(const Shape&, const Shape&) = default;
    };
    void make_indices(const Shape& shape);

    gl::Program program_;
    gl::VertexArray array_;
    gl::BufferTexture vertices_;
    ColourMapTexture maps_;
    std::optional<gl::Buffer> indices_;
    std::optional<Shape> shape_;
    int index_count_ = 0;
    int fluent_cells_;
};

} // namespace lanescope::render
