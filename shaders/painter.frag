// Coverage from the glyph texture, one texel per pixel.
uniform sampler2D letters;
in vec2 at;
in vec4 tint;
out vec4 result;

void main() { result = vec4(tint.rgb, tint.a * texelFetch(letters, ivec2(at), 0).r); }
