// From a pixel to the cells of the picture that it covers.
uniform ivec2 size;         // cells of the picture
uniform vec2 cell_origin;   // the cell coordinate at pixel (0, 0)
uniform vec2 cells_per_px;

vec2 pixel; // the middle of the one that is coloured, in the framebuffer

// Its colour; alpha 0 leaves what is there.
vec4 shade();

// GPUs made for computing have few units that fetch for a picture, and many that compute: there each colour is computed into an
// image, which is then drawn (render/views/paint/cells.cpp).
#ifdef COMPUTED
layout(local_size_x = 8, local_size_y = 8) in;
layout(rgba8, binding = 0) uniform writeonly image2D computed;
uniform ivec2 corner; // of the framebuffer, where the image begins
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

// TAPS, samples along each side of a pixel, is defined when pixels are larger than cells. Each number is a program of
// its own: software OpenGL takes five times as long for loops whose ends it learns while it draws.

ivec2 cell_at(vec2 place)
{
    return clamp(ivec2(cell_origin + place * cells_per_px), ivec2(0), size - 1);
}

#ifdef TAPS
// The sample (i, j) of the TAPS × TAPS samples in this pixel.
ivec2 sample_cell(int i, int j)
{
    return cell_at(pixel - 0.5 + (vec2(i, j) + 0.5) / float(TAPS));
}
#endif
