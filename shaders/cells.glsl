// Maps a pixel to the picture's cells that it covers.
uniform ivec2 size;         // cells of the picture
uniform vec2 cell_origin;   // cell coordinate of pixel (0, 0)
uniform vec2 cells_per_px;

vec2 pixel; // centre of the current pixel, in framebuffer coordinates

// Colour of the pixel; alpha 0 keeps the current one.
vec4 shade();

// Data-centre GPUs have few texture units for graphics and many compute units: there each colour is
// computed into an image, which is then drawn (render/views/paint/cells.cpp).
#ifdef COMPUTED
layout(local_size_x = 8, local_size_y = 8) in;
layout(rgba8, binding = 0) uniform writeonly image2D computed;
uniform ivec2 corner; // framebuffer position of the image's corner
uniform ivec2 extent;

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, extent))) return;
    pixel = vec2(corner + at) + 0.5;
    imageStore(computed, at, shade());
}
#else
out vec4 result;

void main()
{
    pixel = gl_FragCoord.xy;
    vec4 colour = shade();
    if (colour.a == 0.0) discard;
    result = colour;
}
#endif

// TAPS, the number of samples per pixel side, is defined if pixels are larger than cells. Each
// value is a separate program: software OpenGL is five times slower with loop bounds that are only
// known at run time.

ivec2 cell_at(vec2 place)
{
    return clamp(ivec2(cell_origin + place * cells_per_px), ivec2(0), size - 1);
}

#ifdef TAPS
// Sample (i, j) of the TAPS × TAPS samples in this pixel.
ivec2 sample_cell(int i, int j)
{
    return cell_at(pixel - 0.5 + (vec2(i, j) + 0.5) / float(TAPS));
}
#endif
