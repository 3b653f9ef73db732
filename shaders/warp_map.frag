// Colours the picture by a metric of the warp that stored each element: a ratio of two of its
// counts or, with LEVELS, the shares of its sectors that each of three levels served.
#include "shaders/colour.glsl"
#include "shaders/cells.glsl"
#include "shaders/above.glsl"
uniform usamplerBuffer owners; // per element: warp index + 1, or 0
uniform usamplerBuffer counts; // per warp: `stride` counts, the low word in r
uniform int stride;
uniform int warps;
#ifdef LEVELS
#define Value vec4 // three shares
#else
#define Value vec2
uniform int numerator;      // index of a count
uniform int denominator;    // index of a count, or -1 for none
#endif
uniform float blend;        // 1 hides the picture
#ifdef BORDERS
uniform int warps_per_block;
uniform vec2 warp_border;   // in cells; 0 for none
uniform vec2 block_border;
uniform vec4 border_colour;
#endif

uint owner_at(ivec2 cell) { return element(owners, cell.y * size.x + cell.x).r; }

float count_of(int warp, int which)
{
    uvec2 words = element(counts, warp * stride + which).rg;
    return float(words.x) + 4294967296.0 * float(words.y);
}

// The value; the last component is 1 if there is one.
Value value_of(uint owner)
{
    int warp = int(owner) - 1;
    int known = clamp(warp, 0, warps - 1);
#ifdef LEVELS
    vec3 sectors = vec3(count_of(known, 0), count_of(known, 1), count_of(known, 2));
    float all = sectors.x + sectors.y + sectors.z;
    return warp >= 0 && warp < warps && all > 0.0 ? vec4(sectors / all, 1.0) : vec4(0.0);
#else
    bool plain = denominator < 0;
    float below = plain ? 0.0 : count_of(known, denominator);
    bool counted = warp >= 0 && warp < warps && (plain || below > 0.0);
    float value = count_of(known, numerator) / (plain ? 1.0 : max(below, 1.0));
    return counted ? vec2(value, 1.0) : vec2(0.0);
#endif
}

// Colour of a sum of values, and their number.
vec4 colour_of_sum(Value sum)
{
#ifdef LEVELS
    vec3 shares = sum.xyz / max(sum.w, 1.0);
    vec3 mixed = mat3(colour_of(0.0), colour_of(1.0), colour_of(2.0)) * shares;
    return vec4(mixed, sum.w);
#else
    float mean = sum.x / max(sum.y, 1.0);
    return vec4(hatched_above(colour_of(mean), mean), sum.y);
#endif
}

#ifdef BORDERS
// 2 on the edge of a block, 1 on the edge of a warp, 0 elsewhere, judged by the neighbours across
// the nearest edges.
int border_at(vec2 place)
{
    ivec2 cell = cell_at(pixel);
    vec2 inside = place - vec2(cell);
    ivec2 side = ivec2(step(0.5, inside)) * 2 - 1;
    vec2 distance = min(inside, 1.0 - inside);
    int mine = int(owner_at(cell)) - 1;
    int kind = 0;
    for (int axis = 0; axis < 2; ++axis) {
        ivec2 other = cell;
        other[axis] = clamp(cell[axis] + side[axis], 0, size[axis] - 1);
        int theirs = int(owner_at(other)) - 1;
        if (theirs == mine) continue;
        bool same_block = mine >= 0 && theirs >= 0 && mine / warps_per_block == theirs / warps_per_block;
        if (!same_block && distance[axis] < block_border[axis]) kind = 2;
        else if (same_block && distance[axis] < warp_border[axis]) kind = max(kind, 1);
    }
    return kind;
}
#endif

vec4 shade()
{
#ifdef TAPS
    // Neighbours usually have one owner, and data-centre GPUs have few texture units for graphics:
    // all owners are fetched before the first is used, and a row of samples usually has the owners
    // of its ends. A fetch by some pixels takes as long as one by all pixels, so counts are fetched
    // only where the owner at an end differs from that of the previous row.
    uint owners_here[TAPS * TAPS];
    for (int j = 0; j < TAPS; ++j)
        for (int i = 0; i < TAPS; ++i) owners_here[j * TAPS + i] = owner_at(sample_cell(i, j));
    uint left = 0u, right = 0u;
    Value of_left = Value(0.0), of_right = Value(0.0), sum = Value(0.0);
    for (int j = 0; j < TAPS; ++j) {
        uint first = owners_here[j * TAPS], last = owners_here[j * TAPS + TAPS - 1];
        if (first != left) of_left = value_of(left = first);
        if (last == left) of_right = of_left;
        else if (last != right) of_right = value_of(last);
        right = last;
        sum += of_left + of_right;
        for (int i = 1; i < TAPS - 1; ++i) {
            uint between = owners_here[j * TAPS + i];
            Value value = between == left ? of_left : of_right;
            if (between != left && between != right) value = value_of(between);
            sum += value;
        }
    }
#else
    Value sum = value_of(owner_at(cell_at(pixel)));
#endif
    vec4 colour = colour_of_sum(sum);
    if (colour.a == 0.0) return vec4(0.0);
    colour.a = blend;
#ifdef BORDERS
    int border = border_at(cell_origin + pixel * cells_per_px);
    if (border > 0) colour = mix(colour, vec4(border_colour.rgb, 1.0), border == 2 ? border_colour.a : 0.5 * border_colour.a);
#endif
    return colour;
}
