// Heat on the rows that one device has of the plate. The arrays are as large as the whole plate on every device, so
// that a cell has the same index everywhere; what a device does not compute, and what is no neighbour of that, is
// never looked at. `stride` leaves out the rows between: 1, or for the two edges the way from one to the other.
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
