// Row: a pixel moves towards the mean of its neighbours in the row; the edge pixel repeats outside.
extern "C" __global__ void blur_row(const float* from, float* to, int size, float strength)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size) return;

    const float* row = from + y * size;
    float around = 0.5f * (row[max(x - 1, 0)] + row[min(x + 1, size - 1)]);
    to[y * size + x] = fmaf(strength, around - row[x], row[x]);
}
