// Colours that were computed, where they belong; where there is none, what is there stays.
uniform sampler2D computed;
uniform ivec2 corner; // of the framebuffer, where they begin
out vec4 result;

void main()
{
    vec4 colour = texelFetch(computed, ivec2(gl_FragCoord.xy) - corner, 0);
    if (colour.a == 0.0) discard;
    result = colour;
}
