// A disc that is shaded like a sphere, so that points before and behind each other stay apart.
#include "shaders/colour.glsl"
in vec2 corner;
in float value;
out vec4 result;

void main()
{
    float from_centre = length(corner);
    float softness = fwidth(from_centre);
    float cover = 1.0 - smoothstep(1.0 - softness, 1.0, from_centre);
    if (cover == 0.0) discard;
    float height = sqrt(max(1.0 - from_centre * from_centre, 0.0));
    result = vec4(colour_of(value) * (0.6 + 0.4 * height), cover);
}
