// "Coalesced", as in the notes: with b transposed, each thread walks along a row of both matrices
// over time. But a request is made by the 32 lanes of a warp at one moment, and these still differ
// in i: 32 rows, 32 sectors. Nothing is coalesced.
extern "C" __global__ void min_plus_notes_coalesced(const float* a, const float* transposed, float* r,
                                                    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;

    float best = 1.0f / 0.0f;
    for (int k = 0; k < n; ++k) best = fminf(best, a[i * n + k] + transposed[j * n + k]);
    r[i * n + j] = best;
}
