// A buffer's sectors in address order, in rows from the top, coloured by count.
#include "shaders/colour.glsl"
#include "shaders/cells.glsl"
#include "shaders/above.glsl"
uniform usamplerBuffer counts;
uniform int sectors;
uniform vec4 untouched;
#ifdef BORDERS
uniform vec2 gap;      // between sectors, in cells
uniform float line_gap; // after each line of four sectors, in cells
#endif

// x: the count; y: 1 if there is a sector.
vec2 value_at(ivec2 cell)
{
    int sector = (size.y - 1 - cell.y) * size.x + cell.x;
    return sector < sectors ? vec2(float(element(counts, sector).r), 1.0) : vec2(0.0);
}

vec4 shade()
{
#ifdef TAPS
    vec2 sum = vec2(0.0);
    for (int j = 0; j < TAPS; ++j)
        for (int i = 0; i < TAPS; ++i) sum += value_at(sample_cell(i, j));
#else
    vec2 sum = value_at(cell_at(pixel));
#endif
    if (sum.y == 0.0) return vec4(0.0);
#ifdef BORDERS
    vec2 place = cell_origin + pixel * cells_per_px;
    vec2 inside = fract(place);
    ivec2 cell = cell_at(pixel);
    bool ends_line = (((size.y - 1 - cell.y) * size.x + cell.x) & 3) == 3;
    if (inside.x > 1.0 - (ends_line ? line_gap : gap.x) || inside.y < gap.y) return vec4(0.0);
#endif
    float value = sum.x / sum.y;
    return value > 0.0 ? vec4(hatched_above(colour_of(value), value), 1.0) : untouched;
}
