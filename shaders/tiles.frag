// An array's elements, rows from the top: how often a block loaded each, which ones it is loading
// now, and which it stored.
#include "shaders/colour.glsl"
#include "shaders/cells.glsl"
uniform usamplerBuffer counts;
uniform int first;
uniform vec4 untouched;
uniform vec4 stored;
uniform vec4 frame;
uniform float frame_px;

const uint stored_bit = 1u << 30;
const uint now_bit = 1u << 31;

// The block's accesses to the element; 0 outside the array.
uint word_at(ivec2 cell)
{
    if (any(lessThan(cell, ivec2(0))) || any(greaterThanEqual(cell, size))) return 0u;
    return element(counts, first + (size.y - 1 - cell.y) * size.x + cell.x).r;
}

// Maximum over all elements in a pixel, so that thin lines stay visible: counts and marks.
uint word_in(vec2 middle)
{
#ifdef TAPS
    uint most = 0u;
    uint marks = 0u;
    for (int j = 0; j < TAPS; ++j)
        for (int i = 0; i < TAPS; ++i) {
            vec2 at = middle - 0.5 + (vec2(i, j) + 0.5) / float(TAPS);
            uint word = word_at(ivec2(floor(cell_origin + at * cells_per_px)));
            most = max(most, word & (stored_bit - 1u));
            marks |= word & (stored_bit | now_bit);
        }
    return most | marks;
#else
    return word_at(ivec2(floor(cell_origin + middle * cells_per_px)));
#endif
}

vec4 shade()
{
    uint word = word_in(pixel);
    uint loads = word & (stored_bit - 1u);
    bool now = (word & now_bit) != 0u;
    if (now) {
        uint around = now_bit;
        for (int j = -1; j <= 1; ++j)
            for (int i = -1; i <= 1; ++i) around &= word_in(pixel + vec2(i, j) * frame_px);
        if (around == 0u) return frame;
    }
    if (loads == 0u) return (word & stored_bit) != 0u ? stored : untouched;
    return mix(untouched, vec4(colour_of(float(loads)), 1.0), now ? 1.0 : 0.8);
}
