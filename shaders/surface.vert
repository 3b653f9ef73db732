#version 450 core
// The vertex that the index names, fetched from the buffer that kernels write.
uniform samplerBuffer vertices; // x, y, z and the value
uniform mat4 clip_from_world;
out vec3 world;
out float value;

void main()
{
    vec4 vertex = texelFetch(vertices, gl_VertexID);
    world = vertex.xyz;
    value = vertex.w;
    gl_Position = clip_from_world * vec4(vertex.xyz, 1.0);
}
