// Fetches the indexed vertex from the buffer that kernels write; its normal is derived from its
// neighbours.
uniform samplerBuffer vertices; // x, y, z and the value
uniform ivec2 size;             // columns, rows
uniform int spacing;            // distance between drawn vertices
uniform mat4 clip_from_world;
out vec3 normal;
out float value;

vec3 position_at(ivec2 place)
{
    ivec2 inside = clamp(place, ivec2(0), size - 1);
    return element(vertices, inside.y * size.x + inside.x).xyz;
}

void main()
{
    vec4 vertex = element(vertices, gl_VertexID);
    ivec2 place = ivec2(gl_VertexID % size.x, gl_VertexID / size.x);
    vec3 across = position_at(place + ivec2(spacing, 0)) - position_at(place - ivec2(spacing, 0));
    vec3 along = position_at(place + ivec2(0, spacing)) - position_at(place - ivec2(0, spacing));
    normal = cross(across, along);
    value = vertex.w;
    gl_Position = clip_from_world * vec4(vertex.xyz, 1.0);
}
