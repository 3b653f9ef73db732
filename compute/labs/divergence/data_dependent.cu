// Data dependent: bright pixels take one path, dark ones the other. Warps diverge at the picture's
// edges, and nowhere else.
extern "C" __global__ void divergence_data_dependent(const float* from, float* to, int n, int work)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = from[i];
    if (value > 0.6f) {
        for (int round = 0; round < work; ++round) value = fmaf(0.02f, 1.0f - value, value); // grows towards 1
    } else {
        for (int round = 0; round < work; ++round) value = fmaf(-0.02f, value * value, value); // falls towards 0
    }
    to[i] = value;
}
