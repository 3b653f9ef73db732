// Draws computed colours; where there is none, the picture is unchanged.
uniform sampler2D computed;
uniform ivec2 corner; // framebuffer position of the image's corner
out vec4 result;

void main()
{
    vec4 colour = texelFetch(computed, ivec2(gl_FragCoord.xy) - corner, 0);
    if (colour.a == 0.0) discard;
    result = colour;
}
