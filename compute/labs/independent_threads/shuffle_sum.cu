// Sum by shuffles: the lanes exchange registers. Each __shfl_down_sync names the lanes that take part and waits for
// them, so that it needs neither shared memory nor a barrier.
constexpr unsigned all_lanes = 0xffffffff;

extern "C" __global__ void threads_shuffle_sum(const int* from, int* to, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= 4 * size) return; // the whole warp
    int lane = (threadIdx.y * blockDim.x + threadIdx.x) % 32;

    int sum = from[y * 8 * size + x];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(all_lanes, sum, offset);
    if (lane == 0) to[y / 4 * size + x / 8] = sum;
}
