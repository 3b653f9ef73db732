// One frame of a lab's step: a point per vertex, or the whole target for a texture.
#ifdef VERTICES
layout(location = 0) in vec4 vertex; // x, y, z and the value
out float value;

void main()
{
    gl_Position = vec4(vertex.xyz, 1.0);
    value = vertex.w;
}
#else
out vec2 at;

void main()
{
    at = 2.0 * vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
    gl_Position = vec4(2.0 * at - 1.0, 0.0, 1.0);
}
#endif
