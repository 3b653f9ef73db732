#version 450 core
// An image: texels as they are, or the mean of those that a pixel covers.
#include "shaders/cells.glsl"
uniform sampler2D image;
uniform int one_channel;
uniform int grey;
out vec4 result;

void main()
{
#ifdef MANY_CELLS_A_PIXEL
    vec4 colour = vec4(0.0);
    for (int j = 0; j < taps; ++j)
        for (int i = 0; i < taps; ++i) colour += texelFetch(image, sample_cell(i, j), 0);
    colour /= float(taps * taps);
#else
    vec2 at = (cell_origin + gl_FragCoord.xy * cells_per_px) / vec2(size);
    vec4 colour = texture(image, at);
#endif
    if (one_channel != 0) colour.rgb = colour.rrr;
    if (grey != 0) colour.rgb = vec3(dot(colour.rgb, vec3(0.2126, 0.7152, 0.0722))); // Rec. 709
    result = vec4(colour.rgb, 1.0);
}
