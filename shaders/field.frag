// A scalar field: the mean of the values in a pixel, through a colour map.
#include "shaders/colour.glsl"
#include "shaders/cells.glsl"
uniform samplerBuffer values;

float value_at(ivec2 cell) { return element(values, cell.y * size.x + cell.x).r; }

vec4 shade()
{
#ifdef TAPS
    float value = 0.0;
    for (int j = 0; j < TAPS; ++j)
        for (int i = 0; i < TAPS; ++i) value += value_at(sample_cell(i, j));
    value /= float(TAPS * TAPS);
#else
    float value = value_at(cell_at(pixel));
#endif
    return vec4(colour_of(value), 1.0);
}
