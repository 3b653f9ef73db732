// Buffers of half and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void halves(const __half* a, const __nv_bfloat16* b, __half* sum, __nv_bfloat16* product)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] = __hadd(a[i], __float2half(__bfloat162float(b[i])));
    product[i] = __float2bfloat16(__half2float(a[i]) * __bfloat162float(b[i]));
}
