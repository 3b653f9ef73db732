// An array's elements, rows from the top: how often a block loaded each, which ones it loads at the
// moment, and which it stored.
#include "shaders/colour.glsl"
#include "shaders/cells.glsl"
uniform usamplerBuffer counts;
uniform int first;
uniform vec4 untouched;
uniform vec4 stored;
uniform vec4 frame;
uniform float frame_px;
out vec4 result;

const uint stored_bit = 1u << 30;
const uint now_bit = 1u << 31;

// What the block did to the element; nothing outside of the array.
uint word_at(ivec2 cell)
{
    if (any(lessThan(cell, ivec2(0))) || any(greaterThanEqual(cell, size))) return 0u;
    return element(counts, first + (size.y - 1 - cell.y) * size.x + cell.x).r;
}

// The most of all elements in a pixel, so that thin lines stay: counts and marks.
uint word_in(vec2 pixel)
{
#ifdef MANY_CELLS_A_PIXEL
    uint most = 0u;
    uint marks = 0u;
    for (int j = 0; j < taps; ++j)
        for (int i = 0; i < taps; ++i) {
            vec2 at = pixel - 0.5 + (vec2(i, j) + 0.5) / float(taps);
            uint word = word_at(ivec2(floor(cell_origin + at * cells_per_px)));
            most = max(most, word & (stored_bit - 1u));
            marks |= word & (stored_bit | now_bit);
        }
    return most | marks;
#else
    return word_at(ivec2(floor(cell_origin + pixel * cells_per_px)));
#endif
}

void main()
{
    uint word = word_in(gl_FragCoord.xy);
    uint loads = word & (stored_bit - 1u);
    bool now = (word & now_bit) != 0u;
    if (now) {
        uint around = now_bit;
        for (int j = -1; j <= 1; ++j)
            for (int i = -1; i <= 1; ++i) around &= word_in(gl_FragCoord.xy + vec2(i, j) * frame_px);
        if (around == 0u) {
            result = frame;
            return;
        }
    }
    if (loads == 0u)
        result = (word & stored_bit) != 0u ? stored : untouched;
    else
        result = mix(untouched, vec4(colour_of(float(loads)), 1.0), now ? 1.0 : 0.8);
}
