// Strided: neighbouring lanes read elements that are `stride` apart. The input is read column by
// column, as a matrix with `stride` columns, so every element is still read exactly once.
extern "C" __global__ void coalescing_strided(const float* from, float* to, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int rows = (n + stride - 1) / stride;
    to[i] = from[i % rows * stride + i / rows];
}
