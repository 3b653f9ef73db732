// Hatches values above a scale's top. Needs shaders/cells.glsl.
uniform float top;
uniform float hatch_apart; // horizontal distance between lines, in pixels
uniform float hatch_width;
uniform vec4 hatch_colour;

vec3 hatched_above(vec3 colour, float value)
{
    // Measured from the picture's corner, so that strips of a large picture match.
    vec2 at = pixel + cell_origin / cells_per_px;
    bool line = mod(at.x - at.y, hatch_apart) < 1.4 * hatch_width;
    return value > top && line ? hatch_colour.rgb : colour;
}
