// Lights the surface from the upper left, so that slopes are visible.
#include "shaders/colour.glsl"
in vec3 normal;
in float value;
out vec4 result;

const vec3 to_lamp = normalize(vec3(-0.5, -0.4, 0.9));

void main()
{
    vec3 up = normalize(normal);
    if (up.z < 0.0) up = -up;
    float light = 0.35 + 0.65 * max(dot(up, to_lamp), 0.0);
    result = vec4(colour_of(value) * light, 1.0);
}
