#version 450 core
// A buffer's sectors in address order, in rows from the top, coloured by a count of each.
#include "shaders/colour.glsl"
#include "shaders/cells.glsl"
uniform usamplerBuffer counts;
uniform int sectors;
uniform vec4 untouched;
#ifdef BORDERS
uniform vec2 gap;      // between sectors, in cells
uniform float line_gap; // after each line of four sectors, in cells
#endif
out vec4 result;

// x: the count; y: 1 where there is a sector.
vec2 value_at(ivec2 cell)
{
    int sector = (size.y - 1 - cell.y) * size.x + cell.x;
    return sector < sectors ? vec2(float(texelFetch(counts, sector).r), 1.0) : vec2(0.0);
}

void main()
{
#ifdef MANY_CELLS_A_PIXEL
    vec2 sum = vec2(0.0);
    for (int j = 0; j < taps; ++j)
        for (int i = 0; i < taps; ++i) sum += value_at(sample_cell(i, j));
#else
    vec2 sum = value_at(cell_at(gl_FragCoord.xy));
#endif
    if (sum.y == 0.0) discard;
#ifdef BORDERS
    vec2 place = cell_origin + gl_FragCoord.xy * cells_per_px;
    vec2 inside = fract(place);
    bool ends_line = (int(place.x) & 3) == 3;
    if (inside.x > 1.0 - (ends_line ? line_gap : gap.x) || inside.y < gap.y) discard;
#endif
    result = sum.x > 0.0 ? vec4(colour_of(sum.x / sum.y), 1.0) : untouched;
}
