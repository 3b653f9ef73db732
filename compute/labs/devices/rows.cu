// Heat on one device's rows of the plate. Arrays on every device are as large as the whole plate, so that a cell has
// the same index everywhere; rows that a device neither computes nor needs as neighbours are never accessed.
// `stride` is the distance between computed rows: 1, or the distance between the two edge rows.
extern "C" __global__ void devices_rows(const float* now, float* next, int width, int height,
                                        int first, int rows, int stride, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || row >= rows) return;

    int y = first + row * stride;
    int i = y * width + x;
    bool rim = x == 0 || x == width - 1 || y == 0 || y == height - 1;
    float here = now[i];
    float later = here;
    if (!rim) { // the edge of the plate keeps its temperature
        float around = (now[i - 1] + now[i + 1]) + (now[i - width] + now[i + width]);
        later = fmaf(k, fmaf(-4.0f, here, around), here);
    }
    next[i] = later;
}
