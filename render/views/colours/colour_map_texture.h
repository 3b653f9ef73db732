// All colour maps as one texture for shaders.
#pragma once

#include "render/gl/objects.h"
#include "render/gl/program.h"
#include "render/views/colours/scale.h"

namespace lanescope::render {

// 256 × maps texels, one row per map.
class ColourMapTexture {
public:
    ColourMapTexture();
    // Binds the maps to the texture unit and sets the uniforms of shaders/colour.glsl.
    void set(gl::Program& program, const Scale& scale, GLuint unit) const;

private:
    gl::Texture texture_;
    gl::Sampler sampler_;
};

} // namespace lanescope::render
