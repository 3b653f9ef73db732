// Copies a tile asynchronously and uses it at once.
#include <cuda_pipeline.h>

extern "C" __global__ void unawaited_copy(const int* values, int* out)
{
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &values[threadIdx.x], sizeof(int));
    __pipeline_commit();
    out[threadIdx.x] = 2 * tile[threadIdx.x];
    __pipeline_wait_prior(0);
}

extern "C" __global__ void awaited_copy(const int* values, int* out)
{
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &values[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = 2 * tile[threadIdx.x];
}
