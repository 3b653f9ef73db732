// Points in space or in a plane: a disc for each vertex, coloured by value.
#pragma once

#include <glm/mat4x4.hpp>

#include "render/gl/objects.h"
#include "render/gl/program.h"
#include "render/views/colours/colour_map_texture.h"
#include "render/views/colours/scale.h"
#include "render/views/paint/camera.h"
#include "render/views/paint/painter.h"
#include "render/views/paint/pixels.h"
#include "render/views/paint/placement.h"

namespace lanescope::render {

struct PointsData {
    GLuint buffer = 0; // count vertices of four floats: x, y, z in [-1, 1] and the value
    int count = 0;
};

class PointsView {
public:
    PointsView();
    // Draws into the current framebuffer, which needs a depth buffer; clears depth in the viewport.
    void draw(const PointsData& data, const Scale& scale, const Camera& camera,
              const PixelRect& viewport);
    // Draws x and y alone, from the lower left of the placed picture.
    void draw(const PointsData& data, const Scale& scale, const Placement& placement);

private:
    void draw(const PointsData& data, const Scale& scale, const PixelRect& viewport,
              const glm::mat4& clip_from_world, float height_px);

    gl::Program program_;
    gl::VertexArray array_;
    gl::BufferTexture vertices_;
    ColourMapTexture maps_;
};

// Draws the edges of the cube from -1 to 1, which make a rotation visible. `box` is the viewport in
// the painter's coordinates.
void draw_cube(Painter& painter, const Box& box, const Camera& camera, Colour colour,
               float width_px);

} // namespace lanescope::render
