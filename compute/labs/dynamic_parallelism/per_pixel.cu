// Per pixel: one thread per pixel, without shortcuts. Most iterations are spent in the black of the set, where every pixel
// needs the maximum.
struct Plane {
    int size, limit;             // pixels per side, maximum iterations
    int first, smallest, cells;  // sides of the first and smallest squares; smallest squares per row
    float center_x, center_y, pixel;
};

__device__ int dwell_at(const Plane& plane, int column, int row)
{
    float cx = fmaf(plane.pixel, column - 0.5f * plane.size, plane.center_x);
    float cy = fmaf(plane.pixel, row - 0.5f * plane.size, plane.center_y);
    float x = 0, y = 0;
    int dwell = 0;
    while (dwell < plane.limit) {
        // Rounded separately (no fused multiply-add), so that all engines get the same count.
        float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y);
        if (xx + yy > 4.0f) break;
        y = fmaf(2.0f * x, y, cy);
        x = (xx - yy) + cx;
        ++dwell;
    }
    return dwell;
}

extern "C" __global__ void dwell_per_pixel(int* dwells, Plane plane)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= plane.size || row >= plane.size) return;
    dwells[row * plane.size + column] = dwell_at(plane, column, row);
}
