// An image: texels as they are, or the mean of those in a pixel.
#include "shaders/cells.glsl"
#ifdef FROM_BUFFER
uniform samplerBuffer image; // row by row
#else
uniform sampler2D image;
#endif
uniform int one_channel;
uniform int grey;

vec4 texel_at(ivec2 cell)
{
#ifdef FROM_BUFFER
    return element(image, cell.y * size.x + cell.x);
#else
    return texelFetch(image, cell, 0);
#endif
}

vec4 shade()
{
#ifdef TAPS
    vec4 colour = vec4(0.0);
    for (int j = 0; j < TAPS; ++j)
        for (int i = 0; i < TAPS; ++i) colour += texel_at(sample_cell(i, j));
    colour /= float(TAPS * TAPS);
#else
    vec4 colour = texel_at(cell_at(pixel));
#endif
    if (one_channel != 0) colour.rgb = colour.rrr;
    if (grey != 0) colour.rgb = vec3(dot(colour.rgb, vec3(0.2126, 0.7152, 0.0722))); // Rec. 709
    return vec4(colour.rgb, 1.0);
}
