// Control flow: loops that break and continue, a switch, early return, printf and assert.
#include <cassert>
#include <cstdio>

extern "C" __global__ void loop(float* out, const float* __restrict__ in, int n)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (in[i] < 0.0f) continue;
        sum += in[i];
        if (sum > 1e6f) break;
    }
    if (sum == 0.0f) return;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

extern "C" __global__ void __launch_bounds__(256, 2) choose(int* out, float* values, int which)
{
    switch (which) {
    case 0: out[1] = which * 3; break;
    case 1: values[2] = sinf(values[3]); break;
    case 2: values[3] = expf(values[1]); break;
    case 3: out[4] = 5; break;
    case 4: values[9] = values[0] / values[1]; break;
    case 5: atomicAdd(values, 3.0f); break;
    case 6: atomicMax(out, 1); break;
    case 7: out[8] = atomicCAS(out, 1, 2); break;
    default: out[12] = 3;
    }
}

extern "C" __global__ void say(int n)
{
    printf("%d %f\n", n, 2.0);
    assert(n > 3);
}
