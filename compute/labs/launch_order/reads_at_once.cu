// Reads at once: a mistake. A launch only requests a grid; when the parent continues, the child may not have started. A kernel
// can't wait for its children.
struct Pictures {
    const float* from;
    float *between, *to;
    int *order, *clock; // time at which each strip was processed: rows of copies, children, parents
    int strips, pixels;
};

__device__ void note(const Pictures& all, int row, int strip)
{
    if (threadIdx.x == 0) all.order[row * all.strips + strip] = atomicAdd(all.clock, 1);
}

// The child, one block: inverts the strip.
extern "C" __global__ void order_negative(Pictures all, int strip)
{
    int begin = (long long)all.pixels * strip / all.strips, end = (long long)all.pixels * (strip + 1) / all.strips;
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x) all.between[i] = 1 - all.from[i];
    note(all, 1, strip);
}

extern "C" __global__ void order_reads_at_once(Pictures all)
{
    int strip = blockIdx.x;
    if (threadIdx.x == 0) order_negative<<<1, blockDim.x>>>(all, strip);
    __syncthreads();
    int begin = (long long)all.pixels * strip / all.strips, end = (long long)all.pixels * (strip + 1) / all.strips;
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x) all.to[i] = all.between[i];
    note(all, 2, strip);
}
