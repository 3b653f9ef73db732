// Volatile sum, as tutorials had it until 2017: the lanes of a warp ran in step, so no barrier was needed, and
// `volatile` kept the compiler from holding sums in registers. Nothing keeps lanes in step any more: lane 0 may read
// mine[8] before lane 8 has added to it.
extern "C" __global__ void threads_volatile_sum(const int* from, int* to, int size)
{
    __shared__ int sums[256];
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= 4 * size) return; // the whole warp
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int lane = thread % 32;
    volatile int* mine = &sums[thread];

    *mine = from[y * 8 * size + x];
    for (int offset = 16; offset > 0; offset /= 2) {
        if (lane < offset) *mine += mine[offset];
    }
    if (lane == 0) to[y / 4 * size + x / 8] = *mine;
}
