// A mistake: a load of 16 bytes needs an address that is a multiple of 16, and from + 1 is 4 bytes off.
extern "C" __global__ void faults_misaligned(const float* from, float* to, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 4 < n) {
        *reinterpret_cast<float4*>(to + i) = *reinterpret_cast<const float4*>(from + i + 1);
    } else {
        for (; i < n; ++i) to[i] = from[min(i + 1, n - 1)];
    }
}
