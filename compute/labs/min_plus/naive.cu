// Naive: r[i][j] is the shortest path from i to j over one crossing k, a[i][k] + b[k][j]. One thread per
// element, and neighbouring lanes are neighbouring rows i, as in the lecture notes. The 32 lanes of a
// warp read a[i][k] from 32 rows: 32 sectors per request.
extern "C" __global__ void min_plus_naive(const float* a, const float* b, float* r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;

    float best = 1.0f / 0.0f; // no path yet
    for (int k = 0; k < n; ++k) best = fminf(best, a[i * n + k] + b[k * n + j]);
    r[i * n + j] = best;
}
