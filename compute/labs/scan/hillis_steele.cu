// Hillis–Steele: in each round every element adds the one 1, then 2, 4, 8, … before it. Few rounds, much
// work: a thousand elements take ten rounds of a thousand additions. Two rows in shared memory alternate, so that
// no thread reads what has just been written.
constexpr int block = 256;

extern "C" __global__ void scan_hillis_steele(const float* from, float* to, float* sums, int count)
{
    __shared__ float rows[2][block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;
    int now = 0;
    rows[now][t] = i < count ? from[i] : 0.0f;
    __syncthreads();

    for (int offset = 1; offset < block; offset *= 2) {
        rows[1 - now][t] = t >= offset ? rows[now][t] + rows[now][t - offset] : rows[now][t];
        now = 1 - now;
        __syncthreads();
    }
    if (i < count) to[i] = rows[now][t];
    if (t == block - 1) sums[blockIdx.x] = rows[now][t];
}
