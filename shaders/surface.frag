#version 450 core
// Lit by one lamp from the upper left, so that slopes show; each triangle has one normal.
#include "shaders/colour.glsl"
in vec3 world;
in float value;
out vec4 result;

const vec3 to_lamp = normalize(vec3(-0.5, -0.4, 0.9));

void main()
{
    vec3 normal = normalize(cross(dFdx(world), dFdy(world)));
    if (normal.z < 0.0) normal = -normal;
    float light = 0.35 + 0.65 * max(dot(normal, to_lamp), 0.0);
    result = vec4(colour_of(value) * light, 1.0);
}
