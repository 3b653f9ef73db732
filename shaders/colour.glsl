// Colour of a value: its position between low and high selects one of the 256 colours in a row of
// `maps`.
uniform sampler2D maps;
uniform int map;
uniform float low;
uniform float per_range; // 1 / (high - low)

const vec3 not_a_number = vec3(1.0, 0.0, 1.0);

vec3 colour_of(float value)
{
    float position = clamp((value - low) * per_range, 0.0, 1.0);
    vec3 colour = texelFetch(maps, ivec2(int(position * 255.0 + 0.5), map), 0).rgb;
    // Tests the bits: compilers may assume there are no NaNs.
    return (floatBitsToUint(value) & 0x7fffffffu) > 0x7f800000u ? not_a_number : colour;
}
