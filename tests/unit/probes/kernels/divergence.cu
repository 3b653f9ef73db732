// Divergent kernels: by data, by position, in loops, switches and early returns.
#define KERNEL extern "C" __global__ void

__device__ int here() { return (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y * blockDim.z +
                               (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

KERNEL trip_counts(int* out, const int* in, int n)
{
    const int i = here();
    if (i >= n / 8) return;
    int sum = 0;
    for (int step = 0; step < in[i] % 7; ++step) sum += in[(i * 5 + step * 3) % n];
    out[i] = sum;
}

KERNEL nested_choices(int* out, const int* in, int n)
{
    const int i = here();
    int value = in[i % n];
    if (value % 2 == 0) {
        if (value % 3 == 0) value += in[(i + 1) % n];
        else value -= in[(i + 2) % n];
        out[i % n] = value;
    } else if (value % 5 < 2) {
        out[n + i * 7 % n] = value;
    }
}

KERNEL break_and_continue(int* out, const int* in, int n)
{
    const int i = here();
    int sum = 0;
    for (int j = 0; j < 8; ++j) {
        const int value = in[(i + j * j) % n];
        if (value % 4 == 0) continue;
        if (value % 11 == 0) break;
        sum += value;
    }
    out[i % n] = sum;
}

KERNEL many_cases(int* out, const int* in, int n)
{
    const int i = here() % n;
    switch (in[i] % 9) {
    case 0: out[i] = in[(i + 3) % n]; break;
    case 1: out[i] = in[i / 2]; break;
    case 2: out[n + i / 2] = 4; break;
    case 3: atomicAdd(out + 2 * n, 3); break;
    case 4: out[i] = in[i] / (in[0] + 1); break;
    case 5: out[2 * n - 1 - i] = 7; break;
    default: out[i] = -1;
    }
}

KERNEL early_return_in_loop(int* out, const int* in, int n)
{
    for (int i = here(); i < n; i += 64) {
        if (in[i] % 13 == 0) return;
        out[i] = in[i] + 1;
    }
    out[n + here()] = 9;
}

KERNEL warp_vote(int* out, const int* in, int n)
{
    const int i = here() % n;
    const unsigned lanes = __activemask();
    if (__ballot_sync(lanes, in[i] % 2) & 5) out[i] = __shfl_sync(lanes, in[i], __ffs(lanes) - 1);
    __syncthreads();
    out[n - 1 - i] += 1;
}
