// Work inside the loop: the lane that gets the lock also releases it before the round ends. All lanes may meet after
// each round, so this form ran on every GPU that has atomics. 32 rounds remain, with one lane at work in each.
constexpr unsigned all_lanes = 0xffffffff;

extern "C" __global__ void threads_inside(const int* from, volatile int* to, int* locks, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= 4 * size) return;
    int cell = y / 4 * size + x / 8;

    bool done = false;
    while (!__all_sync(all_lanes, done)) {
        if (done || atomicCAS(&locks[cell], 0, 1) != 0) continue;
        __threadfence();
        to[cell] += from[y * 8 * size + x];
        __threadfence();
        atomicExch(&locks[cell], 0);
        done = true;
    }
}
