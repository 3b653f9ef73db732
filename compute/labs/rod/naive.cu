// Naive: one thread per cell of the rod; it reads its own cell and both neighbours from global memory.
// Cell 0 and cell `cells` + 1 are ghosts: they hold the temperatures of the rod's ends.
extern "C" __global__ void rod_naive(const float* now, float* next, int cells, float k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i > cells) return;
    next[i] = fmaf(k, fmaf(-2.0f, now[i], now[i - 1] + now[i + 1]), now[i]);
}
