// Mandelbrot: every pixel iterates until it escapes. A warp is as slow as its slowest lane, so the set's
// edge, where neighbours need very different counts, costs the most.
extern "C" __global__ void divergence_mandelbrot(float* counts, int width, int height, int limit,
                                                 float center_x, float center_y, float pixel)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;

    float cx = fmaf(pixel, column - 0.5f * width, center_x);
    float cy = fmaf(pixel, row - 0.5f * height, center_y);
    float x = 0, y = 0;
    int count = 0;
    while (count < limit) {
        // Rounded separately (no fused multiply-add), so that all engines get the same count.
        float xx = __fmul_rn(x, x);
        float yy = __fmul_rn(y, y);
        if (xx + yy > 4.0f) break;
        y = fmaf(2.0f * x, y, cy);
        x = (xx - yy) + cx;
        ++count;
    }
    counts[row * width + column] = count;
}
