// A stencil of radius 3: the block's elements and a halo on both sides in shared memory.
#define RADIUS 3
#define BLOCK 256

__global__ void stencil(const int* in, int* out, int n)
{
    __shared__ int tile[BLOCK + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * blockDim.x;
    int l = threadIdx.x + RADIUS;
    tile[l] = g < n ? in[g] : 0;
    if (threadIdx.x < RADIUS) {
        tile[l - RADIUS] = g >= RADIUS ? in[g - RADIUS] : 0;
    }
    __syncthreads();
    if (g >= n) return;
    int sum = 0;
    for (int k = -RADIUS; k <= RADIUS; ++k) sum += tile[l + k];
    out[g] = sum;
}
