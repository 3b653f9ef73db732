// Lanes that wait in a branch for lanes that are past it.

// The end of a block sum: only two lanes synchronise, and the others end.
extern "C" __global__ void ends(const int* in, int* out)
{
    __shared__ int sums[32];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    if (t < 2) {
        sums[t] += sums[t + 2];
        __syncwarp();
    }
    if (t == 0) out[0] = sums[0] + sums[1];
}

// Each lane leaves the loop in another iteration.
extern "C" __global__ void leaves_loop(int* out)
{
    int t = threadIdx.x;
    int rounds = 0;
    for (;;) {
        if (rounds * 4 >= t) break;
        ++rounds;
        __syncwarp();
    }
    out[t] = rounds;
}

extern "C" __global__ void nested(int* out)
{
    int t = threadIdx.x;
    int value = t;
    if (t < 16) {
        value += 100;
        if (t < 4) {
            value += 1000;
            __syncwarp();
        }
        value *= 2;
    }
    out[t] = value;
}

// The halves reach the same shuffle in different iterations.
extern "C" __global__ void meets_later(const int* in, int* out)
{
    int t = threadIdx.x;
    int value = in[t];
#pragma unroll 1
    for (int round = 0; round < 2; ++round)
        if ((t < 16) == (round == 0)) value += __shfl_xor_sync(0xffffffffu, value, 16);
    out[t] = value;
}

__device__ __noinline__ int half(int t, int* out)
{
    if (t >= 16) return 1;
    out[t] = -1;
    __syncwarp();
    return 2;
}

extern "C" __global__ void returns_early(int* out)
{
    int t = threadIdx.x;
    out[t] = half(t, out);
}

// Not aligned: the other lanes of the warp need not arrive together with lane 0.
extern "C" __global__ void barrier_of_one_lane(int* out)
{
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile("barrier.sync 0;" ::: "memory");
        out[0] = 7;
    }
    if (t == 33) out[1] = 8;
}

// Mistakes: the named lanes never shuffle.
extern "C" __global__ void shuffle_in_branch(const int* in, int* out)
{
    int t = threadIdx.x;
    int value = in[t];
    if (t < 16) value += __shfl_down_sync(0xffffffffu, value, 8);
    out[t] = value;
}

extern "C" __global__ void then_barrier(int* out)
{
    int t = threadIdx.x;
    if (t < 16) __syncwarp();
    __syncthreads();
    out[t] = t;
}

extern "C" __global__ void then_shuffle(const int* in, int* out)
{
    int t = threadIdx.x;
    int value = in[t];
    if (t < 16) {
        value *= 2;
        __syncwarp();
    }
    out[t] = __shfl_xor_sync(0xffffffffu, value, 1);
}
