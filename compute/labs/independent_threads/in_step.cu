// Lanes in step: lanes that leave the loop wait there for the others, as they did on every GPU before Volta. The lane
// with the lock waits for 31 lanes that want it. Here they give up after 100 rounds, so that the kernel ends.
constexpr unsigned all_lanes = 0xffffffff;

extern "C" __global__ void threads_in_step(const int* from, volatile int* to, int* locks, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= 4 * size) return; // the whole warp
    int cell = y / 4 * size + x / 8;

    bool has_lock = false;
    for (int round = 0; round < 100 && !has_lock; ++round) has_lock = atomicCAS(&locks[cell], 0, 1) == 0;
    __syncwarp(all_lanes); // older GPUs met here without being asked
    if (!has_lock) return;
    __threadfence();
    to[cell] += from[y * 8 * size + x];
    __threadfence();
    atomicExch(&locks[cell], 0);
}
