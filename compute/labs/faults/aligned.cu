// Aligned: the 16 bytes are loaded from their aligned start, and the one missing number separately.
extern "C" __global__ void faults_aligned(const float* from, float* to, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 4 < n) {
        float4 here = *reinterpret_cast<const float4*>(from + i);
        float4 next = make_float4(here.y, here.z, here.w, from[i + 4]);
        *reinterpret_cast<float4*>(to + i) = next;
    } else {
        for (; i < n; ++i) to[i] = from[min(i + 1, n - 1)];
    }
}
