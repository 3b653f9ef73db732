// Plain sum: the same without `volatile`. Nothing orders the lanes, and the compiler may keep a sum in a register.
extern "C" __global__ void threads_plain_sum(const int* from, int* to, int size)
{
    __shared__ int sums[256];
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= 4 * size) return; // the whole warp
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int lane = thread % 32;
    int* mine = &sums[thread];

    *mine = from[y * 8 * size + x];
    for (int offset = 16; offset > 0; offset /= 2) {
        if (lane < offset) *mine += mine[offset];
    }
    if (lane == 0) to[y / 4 * size + x / 8] = *mine;
}
