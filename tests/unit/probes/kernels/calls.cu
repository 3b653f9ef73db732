// Device functions that stay functions: recursion, pointers to functions, generic arguments, and one that ends threads.
#define KERNEL extern "C" __global__ void

__device__ int here() { return (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y * blockDim.z +
                               (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

__device__ __noinline__ int walk(const int* in, int at, int depth, int n)
{
    if (depth == 0) return in[at];
    const int next = (in[at] * 31 + at) % n;
    return in[next] % 2 == 0 ? walk(in, next, depth - 1, n) + 1 : in[at];
}

__device__ __noinline__ int doubled(const int* in, int at) { return 2 * in[at]; }
__device__ __noinline__ int squared(const int* in, int at) { return in[at] * in[at]; }

__device__ __noinline__ void leave_if_odd(int* out, int value)
{
    *out = value;
    if (value % 2 != 0) asm volatile("exit;");
    *out = value + 1;
}

KERNEL recursion(int* out, const int* in, int n) { out[here() % n] = walk(in, here() % n, 4, n); }

KERNEL chosen_function(int* out, const int* in, int n)
{
    int (*functions[])(const int*, int) = {doubled, squared};
    out[here() % n] = functions[n % 2](in, here() % n);
}

KERNEL exit_in_function(int* out, const int* in, int n)
{
    const int i = here() % n;
    out[n - 1 - i] = in[i / 2];
    leave_if_odd(out + i, in[i]);
    out[n + i / 4] = in[i];
}
