// Divergence and reconvergence: nested branches, loops, early returns, switches.
extern "C" __global__ void nested(int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = 0;
    if (i & 1) {
        if (i & 2) v = 3 * i;
        else v = i + 100;
        v += 7;
    } else if (i % 3 == 0) {
        v = -i;
    }
    out[i] = v * 2 + 1;
}

extern "C" __global__ void collatz(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = in[i];
    int steps = 0;
    while (v != 1) {
        if (v & 1) v = 3 * v + 1;
        else v /= 2;
        if (++steps == 200) break;
    }
    out[i] = steps;
}

extern "C" __global__ void choices(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = in[i];
    switch (x & 7) {
    case 0: x = x * 5 + 1; break;
    case 1: x ^= 0x55; break;
    case 2: x = x / 3; // falls through
    case 3: x -= 11; break;
    case 4: x = -x; break;
    case 5: out[i] = -1; return;
    case 6: x <<= 2; break;
    default: for (int k = 0; k < (i & 3); ++k) x += k * i;
    }
    out[i] = x;
}

// A short-circuit condition: two paths reach the inner block before reconverging after it.
extern "C" __global__ void either(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : 0;
    bool yes = false;
    if (v % 2 == 0 || in[(i + 1) % n] % 3 == 0) {
        yes = true;
        v += 10;
    }
    if (i < n) out[i] = v * (yes ? 2 : 1);
}

extern "C" __global__ void early_then_barrier(const int* in, int* out, int n)
{
    __shared__ int tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    if (i >= n) return;
    __syncthreads();
    out[i] = tile[threadIdx.x ^ 1];
}
