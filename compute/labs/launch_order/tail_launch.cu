// Tail launch: children run in any order; the tail runs after the grid and all its children, and sees what they wrote.
struct Pictures {
    const float* from;
    float *between, *to;
    int *order, *clock; // when each strip was processed: one row each for copies, children, parents
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

// Copies the children's output: one strip per block, starting with `strip`.
extern "C" __global__ void order_copy(Pictures all, int strip)
{
    strip += blockIdx.x;
    int begin = (long long)all.pixels * strip / all.strips, end = (long long)all.pixels * (strip + 1) / all.strips;
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x) all.to[i] = all.between[i];
    note(all, 0, strip);
}

extern "C" __global__ void order_tail_launch(Pictures all)
{
    int strip = blockIdx.x;
    if (threadIdx.x == 0) {
        if (strip == 0) order_copy<<<all.strips, blockDim.x, 0, cudaStreamTailLaunch>>>(all, 0);
        order_negative<<<1, blockDim.x, 0, cudaStreamFireAndForget>>>(all, strip);
    }
    note(all, 2, strip);
}
