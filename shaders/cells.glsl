// From a pixel to the cells of the picture that it covers.
uniform ivec2 size;         // cells of the picture
uniform vec2 cell_origin;   // the cell coordinate at pixel (0, 0)
uniform vec2 cells_per_px;

// TAPS, samples along each side of a pixel, is defined when pixels are larger than cells. Each number is a program of
// its own: software OpenGL takes five times as long for loops whose ends it learns while it draws.

ivec2 cell_at(vec2 pixel)
{
    return clamp(ivec2(cell_origin + pixel * cells_per_px), ivec2(0), size - 1);
}

#ifdef TAPS
// The sample (i, j) of the TAPS × TAPS samples in this pixel.
ivec2 sample_cell(int i, int j)
{
    vec2 corner = gl_FragCoord.xy - 0.5;
    return cell_at(corner + (vec2(i, j) + 0.5) / float(TAPS));
}
#endif
