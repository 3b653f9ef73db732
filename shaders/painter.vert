// Shapes and glyphs in pixels from the upper left.
layout(location = 0) in vec2 position;
layout(location = 1) in vec2 texel;
layout(location = 2) in vec4 colour;
uniform vec2 size_px;
out vec2 at;
out vec4 tint;

void main()
{
    at = texel;
    tint = colour;
    gl_Position = vec4(position / size_px * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}
