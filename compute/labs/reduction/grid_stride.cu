// Grid-stride: at most 1024 blocks; each thread steps through the array by the size of the whole
// grid and adds float4 after float4 in registers. The tree at the end is a tiny part of the work.
constexpr unsigned all_lanes = 0xffffffff;

__device__ float block_sum(float sum)
{
    __shared__ float warp_sums[32];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(all_lanes, sum, offset);
    if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return 0;
    sum = threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(all_lanes, sum, offset);
    return sum;
}

extern "C" __global__ void reduction_grid_stride(const float* from, float* sums, int count)
{
    const float4* vectors = reinterpret_cast<const float4*>(from);
    int stride = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;

    float4 sum = {};
    for (int i = first; i < count / 4; i += stride) {
        float4 next = vectors[i];
        sum.x += next.x, sum.y += next.y, sum.z += next.z, sum.w += next.w;
    }
    float mine = (sum.x + sum.y) + (sum.z + sum.w);
    if (first < count % 4) mine += from[count / 4 * 4 + first]; // elements after the last vector

    mine = block_sum(mine);
    if (threadIdx.x == 0) sums[blockIdx.x] = mine;
}
