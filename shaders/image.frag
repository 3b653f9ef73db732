#version 450 core
// An image: texels as they are, or the mean of those that a pixel covers.
#include "shaders/cells.glsl"
uniform sampler2D image;
uniform int grey;
uniform int smoothly;
out vec4 result;

void main()
{
    vec4 colour = vec4(0.0);
    if (taps > 1) {
        for (int j = 0; j < taps; ++j)
            for (int i = 0; i < taps; ++i) colour += texelFetch(image, sample_cell(i, j), 0);
        colour /= float(taps * taps);
    } else if (smoothly != 0) {
        colour = texture(image, (cell_origin + gl_FragCoord.xy * cells_per_px) / vec2(size));
    } else {
        colour = texelFetch(image, cell_at(gl_FragCoord.xy), 0);
    }
    result = vec4(grey != 0 ? colour.rrr : colour.rgb, 1.0);
}
