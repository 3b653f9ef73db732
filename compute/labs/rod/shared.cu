// Shared: the block's cells and one neighbour at each end are loaded into shared memory, once. The ghost at
// the front still shifts everything by one: thread 0 of a warp starts 4 bytes into a sector.
constexpr int block = 256;

extern "C" __global__ void rod_shared(const float* now, float* next, int cells, float k)
{
    __shared__ float rod[block + 2];

    int i = blockIdx.x * block + threadIdx.x + 1; // in global memory
    int s = threadIdx.x + 1;                      // in shared memory
    if (i <= cells) {
        rod[s] = now[i];
        if (threadIdx.x == 0) rod[0] = now[i - 1];
        if (threadIdx.x == block - 1 || i == cells) rod[s + 1] = now[i + 1];
    }

    // Outside the if: threads past the rod's end must reach the barrier too.
    __syncthreads();
    if (i <= cells) next[i] = fmaf(k, fmaf(-2.0f, rod[s], rod[s - 1] + rod[s + 1]), rod[s]);
}
