// Naive: one thread per element of C, a row of A times a column of B. The lanes of a warp are
// neighbours in a row of C: they read one element of A together, and 32 neighbours of B. Every
// element of A and B is loaded again by every warp that needs it.
extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c,
                                        int rows, int columns, int depth)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns) return;

    float sum = 0;
    for (int k = 0; k < depth; ++k)
        sum = fmaf(a[row * depth + k], b[k * columns + column], sum);
    c[row * columns + column] = sum;
}
