// A rectangle in clip coordinates.
uniform vec4 rect; // left, bottom, right, top

void main()
{
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(mix(rect.xy, rect.zw, corner), 0.0, 1.0);
}
