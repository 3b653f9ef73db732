// Reverses tiles through shared memory. The next tile may overwrite what other threads have still to read.
extern "C" __global__ void tile_overwritten(const int* values, int* out, int tiles)
{
    __shared__ int tile[128];
    for (int t = 0; t < tiles; ++t) {
        tile[threadIdx.x] = values[t * 128 + threadIdx.x];
        __syncthreads();
        out[t * 128 + threadIdx.x] = tile[127 - threadIdx.x];
    }
}

extern "C" __global__ void tile_kept(const int* values, int* out, int tiles)
{
    __shared__ int tile[128];
    for (int t = 0; t < tiles; ++t) {
        tile[threadIdx.x] = values[t * 128 + threadIdx.x];
        __syncthreads();
        out[t * 128 + threadIdx.x] = tile[127 - threadIdx.x];
        __syncthreads();
    }
}
