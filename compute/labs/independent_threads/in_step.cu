// Lanes in step: lanes that leave the loop wait there for the others, as they did on every GPU before Volta. The
// lane with the lock waits for 31 lanes that want it.
constexpr unsigned all_lanes = 0xffffffff;

extern "C" __global__ void threads_in_step(const int* from, volatile int* to, int* locks, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= 4 * size) return;
    int cell = y / 4 * size + x / 8;

    while (atomicCAS(&locks[cell], 0, 1) != 0)
        while (*static_cast<volatile int*>(&locks[cell]) == 1) {} // only looks, until the lock is free
    __syncwarp(all_lanes); // older GPUs met here without being asked
    __threadfence();
    to[cell] += from[y * 8 * size + x];
    __threadfence();
    atomicExch(&locks[cell], 0);
}
