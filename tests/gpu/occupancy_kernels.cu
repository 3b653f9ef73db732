// A kernel that would use all available registers, so that .maxnreg decides how many it gets.
extern "C" __global__ void many_values(const float* from, float* to, int rounds)
{
    constexpr int values = 240;
    float all[values];
#pragma unroll
    for (int i = 0; i < values; ++i) all[i] = from[i * 1024 + threadIdx.x];
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < values; ++i) all[i] = fmaf(all[i], all[(i + 7) % values], 1.0f);
    }
#pragma unroll
    for (int i = 0; i < values; ++i) to[i * 1024 + threadIdx.x] = all[i];
}
