// Shared tile: a block loads a square of a and a square of b, and uses each element 32 times. Elements
// outside the matrices are infinitely far: they never win.
constexpr int tile = 32;

extern "C" __global__ void min_plus_shared_tile(const float* a, const float* b, float* r, int n)
{
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    const float infinity = 1.0f / 0.0f;

    int tx = threadIdx.x, ty = threadIdx.y;
    int j = blockIdx.x * tile + tx;
    int i = blockIdx.y * tile + ty;

    float best = infinity;
    for (int k0 = 0; k0 < n; k0 += tile) {
        a_tile[ty][tx] = i < n && k0 + tx < n ? a[i * n + k0 + tx] : infinity;
        b_tile[ty][tx] = k0 + ty < n && j < n ? b[(k0 + ty) * n + j] : infinity;
        __syncthreads();

        for (int k = 0; k < tile; ++k) best = fminf(best, a_tile[ty][k] + b_tile[k][tx]);
        __syncthreads();
    }
    if (i < n && j < n) r[i * n + j] = best;
}
