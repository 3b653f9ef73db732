// Lane parity: even lanes take one path, odd lanes the other. Every warp has to execute both, each time
// with half of its lanes inactive.
extern "C" __global__ void divergence_lane_parity(const float* from, float* to, int n, int work)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = from[i];
    if (threadIdx.x % 2 == 0) {
        for (int round = 0; round < work; ++round) value = fmaf(0.02f, 1.0f - value, value); // grows towards 1
    } else {
        for (int round = 0; round < work; ++round) value = fmaf(-0.02f, value * value, value); // falls towards 0
    }
    to[i] = value;
}
