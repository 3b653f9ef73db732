// Communication between the lanes of a warp.
extern "C" __global__ void shuffles(const int* in, int* out)
{
    int t = threadIdx.x;
    int v = in[t];
    int sum = v;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    int up = __shfl_up_sync(0xffffffffu, v, 3);
    int down = __shfl_down_sync(0xffffffffu, v, 5, 16);
    int at = __shfl_sync(0xffffffffu, v, t * 7, 8);
    out[t * 4] = sum;
    out[t * 4 + 1] = up;
    out[t * 4 + 2] = down;
    out[t * 4 + 3] = at;
}

extern "C" __global__ void votes(const int* in, unsigned* out)
{
    int t = threadIdx.x;
    unsigned part = __ballot_sync(0xffffffffu, t < 20);
    unsigned r = 0;
    if (t < 20) {
        r = __ballot_sync(part, in[t] & 1);
        r += __all_sync(part, in[t] >= 0) ? 1 : 0;
        r += __any_sync(part, in[t] == 5) ? 2 : 0;
        r ^= __activemask();
    }
    out[t] = r;
}

// Two groups of lanes, each with its own mask, at the same instruction.
extern "C" __global__ void groups(const int* in, int* out)
{
    int t = threadIdx.x;
    unsigned mask = t % 2 ? 0xaaaaaaaau : 0x55555555u;
    int v = in[t];
    for (int d = 2; d < 32; d *= 2) v += __shfl_xor_sync(mask, v, d);
    out[t] = v;
}

// Both paths lead to the same full-mask shuffle: each must wait for the other.
extern "C" __global__ void meet(const int* in, int* out)
{
    int t = threadIdx.x;
    int v = in[t];
    if (t < 8) {
        if (v > 0) v *= 3;
        goto talk;
    }
    if (t < 100) {
        v += 5;
        goto talk;
    }
    out[t] = 0;
    return;
talk:
    out[t] = __shfl_xor_sync(0xffffffffu, v, 31);
}

// __syncwarp on both sides of a branch.
extern "C" __global__ void two_syncs(int* out)
{
    __shared__ volatile int box[32];
    int t = threadIdx.x;
    if (t < 16) {
        box[t] = t * 10;
        __syncwarp();
        out[t] = t;
    } else {
        __syncwarp();
        out[t] = box[t - 16];
    }
}

extern "C" __global__ void missing_lanes(int* out)
{
    int t = threadIdx.x;
    if (t < 24) out[t] = __shfl_sync(0xffffffffu, t, 0);
    else {
        while (out[t] > 0) out[t] = out[t] / 2;
        out[t] = __shfl_sync(0xffffffffu, t, 31) + 1;
    }
}

// A lock that the lanes of a warp take in turn.
extern "C" __global__ void spin_lock(int* lock, int* value)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *value = *value + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// The winner leaves the loop first and then frees the lock: if lanes reconverged at the loop's end
// before that, they would wait forever.
extern "C" __global__ void spin_lock_outside(int* lock, int* value)
{
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *value = *value + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// Every block waits until all blocks have arrived.
extern "C" __global__ void grid_barrier(volatile int* arrived, int* out)
{
    if (threadIdx.x == 0) {
        atomicAdd(const_cast<int*>(arrived), 1);
        while (*arrived < gridDim.x) {
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = *arrived;
}

extern "C" __global__ void endless(volatile int* flag)
{
    while (*flag == 0) {
    }
}
