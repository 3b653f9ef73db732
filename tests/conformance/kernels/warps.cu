// Warp communication: shuffles, votes, matches; also with partial warps.
extern "C" __global__ void shuffles(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x & 31;
    const unsigned x = in[i];
    unsigned r = __shfl_sync(0xffffffffu, x, lane * 7 + 3);
    r = r * 31 + __shfl_up_sync(0xffffffffu, x, 3);
    r = r * 31 + __shfl_down_sync(0xffffffffu, x, 5);
    r = r * 31 + __shfl_xor_sync(0xffffffffu, x, 9);
    r = r * 31 + __shfl_sync(0xffffffffu, x, lane + 1, 8);
    r = r * 31 + __shfl_up_sync(0xffffffffu, x, 2, 16);
    r = r * 31 + __shfl_down_sync(0xffffffffu, x, 1, 4);
    r = r * 31 + __shfl_xor_sync(0xffffffffu, x, 17, 8);
    out[i] = r;
}

extern "C" __global__ void wide_shuffles(double* out, long long* out2, const double* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __shfl_xor_sync(0xffffffffu, in[i], 1);
    out2[i] = __shfl_down_sync(0xffffffffu, __double_as_longlong(in[i]), 7);
}

extern "C" __global__ void votes(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = in[i];
    unsigned r = __ballot_sync(0xffffffffu, x & 1);
    r += __any_sync(0xffffffffu, x == 0) ? 1 : 0;
    r += __all_sync(0xffffffffu, x != 0xffffffffu) ? 2 : 0;
    r ^= __match_any_sync(0xffffffffu, x % 5);
    int same = 0;
    r ^= __match_all_sync(0xffffffffu, x % (blockIdx.x + 1), &same) * 3;
    out[i] = r + same;
}

extern "C" __global__ void parts_of_warps(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x & 31;
    unsigned x = in[i];
    if (lane < 12) {
        x = __shfl_down_sync(0x00000fffu, x, 4) + __popc(__ballot_sync(0x00000fffu, x > 1000));
    } else if (lane & 1) {
        for (int step = 2; step < 16; step *= 2) x += __shfl_xor_sync(0xaaaaa000u, x, step) & 0xff;
    } else {
        x ^= __ballot_sync(0x55555000u, x & 4);
        __syncwarp(0x55555000u);
    }
    __syncwarp();
    out[i] = x + __shfl_sync(0xffffffffu, x, 0);
}

extern "C" __global__ void warp_scan(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x & 31;
    unsigned x = in[i];
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const unsigned other = __shfl_up_sync(0xffffffffu, x, step);
        if (lane >= step) x += other;
    }
    out[i] = x;
}

extern "C" __global__ void exchange_through_shared(unsigned* out, const unsigned* in)
{
    __shared__ unsigned slots[128];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    slots[threadIdx.x] = in[i];
    __syncwarp();
    out[i] = slots[threadIdx.x ^ 13];
    __syncwarp();
    slots[threadIdx.x] = out[i] + 1;
    __syncwarp();
    out[i] += slots[threadIdx.x ^ 21];
}
