// A thick line: each segment between two points is a rectangle of four corners.
uniform samplerBuffer points; // x, y in [-1, 1]
uniform vec2 half_size_px;    // half the plot area, in pixels
uniform float half_width_px;

void main()
{
    vec2 from = element(points, gl_InstanceID).xy * half_size_px;
    vec2 to = element(points, gl_InstanceID + 1).xy * half_size_px;
    vec2 along = to - from;
    float length_px = length(along);
    along = length_px > 0.0 ? along / length_px : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    // Extends both ends by half the width to close the joints.
    vec2 end = (gl_VertexID & 1) == 0 ? from - along * half_width_px : to + along * half_width_px;
    vec2 corner = end + float((gl_VertexID >> 1) * 2 - 1) * half_width_px * across;
    gl_Position = vec4(corner / half_size_px, 0.0, 1.0);
}
