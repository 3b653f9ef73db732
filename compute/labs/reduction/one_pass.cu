// One pass: every block stores its sum in memory and takes a ticket; the block with the last ticket knows that all sums are
// there and adds them up. There is no second launch to wait for. Each thread has four loads in flight at a time.
constexpr unsigned all_lanes = 0xffffffff;
constexpr int loads = 4;

__device__ float block_sum(float sum)
{
    __shared__ float warp_sums[32];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(all_lanes, sum, offset);
    __syncthreads(); // an earlier sum may still be in use
    if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return 0;
    sum = threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(all_lanes, sum, offset);
    return sum;
}

extern "C" __global__ void reduction_one_pass(const float* from, float* sums, unsigned* done, float* total, int count)
{
    __shared__ bool is_last;
    const float4* vectors = reinterpret_cast<const float4*>(from);
    int stride = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;

    float4 sum = {};
    int i = first;
    for (; i + (loads - 1) * stride < count / 4; i += loads * stride) {
        float4 next[loads];
#pragma unroll
        for (int l = 0; l < loads; ++l) next[l] = __ldcs(vectors + i + l * stride);
#pragma unroll
        for (int l = 0; l < loads; ++l) sum.x += next[l].x, sum.y += next[l].y, sum.z += next[l].z, sum.w += next[l].w;
    }
    for (; i < count / 4; i += stride) {
        float4 next = vectors[i];
        sum.x += next.x, sum.y += next.y, sum.z += next.z, sum.w += next.w;
    }
    float mine = (sum.x + sum.y) + (sum.z + sum.w);
    if (first < count % 4) mine += from[count / 4 * 4 + first]; // elements after the last vector

    mine = block_sum(mine);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = mine;
        __threadfence(); // a block that sees the ticket below also sees the sum
        // Counts up to gridDim.x - 1 and wraps around to 0: ready for the next launch.
        is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;

    __threadfence();
    mine = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) mine += __ldcg(sums + b);
    mine = block_sum(mine);
    if (threadIdx.x == 0) *total = mine;
}
