// A disc that faces the viewer for each vertex in the buffer that kernels write: a square of four
// corners, of which the fragment shader keeps the disc.
uniform samplerBuffer vertices; // x, y, z and the value
uniform mat4 clip_from_world;
uniform vec2 pixels_to_clip;    // clip coordinates per pixel where w is 1
uniform float radius_px;        // of a point at the centre of the scene
uniform float centre_w;         // w at the centre of the scene
out vec2 corner;
out float value;

void main()
{
    vec4 vertex = element(vertices, gl_InstanceID);
    corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
    value = vertex.w;
    gl_Position = clip_from_world * vec4(vertex.xyz, 1.0);
    float far_px = 0.75 * gl_Position.w; // far points stay visible
    gl_Position.xy += corner * pixels_to_clip * max(radius_px * centre_w, far_px);
}
