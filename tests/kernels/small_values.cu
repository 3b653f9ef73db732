// float3 by value, a bool, a char and a half: parameters of 12, 1, 1 and 2 bytes.
#include <cuda_fp16.h>

__global__ void small_values(float3 v, bool twice, char add, __half scale, float* out)
{
    const float sum = (v.x + v.y + v.z + add) * __half2float(scale);
    out[threadIdx.x] = twice ? 2 * sum : sum;
}
