// Fused: one kernel. A warp has one query, whose scores stay in shared memory: it computes all of
// them, then their softmax, then the weighted sum. The more tokens, the fewer queries fit in a block.
#include <cuda_fp16.h>

constexpr int depth = 64;        // numbers per token
constexpr int tile = 64;         // keys or values that the block holds at a time
constexpr int pitch = depth + 4; // keeps rows of the tile apart by four banks

// Loads tokens from `first` on as floats; tokens past the last count as 0.
__device__ void load(float (*to)[pitch], const __half* from, int first, int tokens)
{
    int thread = threadIdx.y * 32 + threadIdx.x;
    for (int at = thread; at < tile * depth / 8; at += blockDim.y * 32) {
        int token = at / (depth / 8), i = at % (depth / 8) * 8;
        uint4 eight = make_uint4(0, 0, 0, 0);
        if (first + token < tokens)
            eight = *reinterpret_cast<const uint4*>(from + (first + token) * depth + i);
        const __half2* pairs = reinterpret_cast<const __half2*>(&eight);
        for (int pair = 0; pair < 4; ++pair)
            *reinterpret_cast<float2*>(&to[token][i + 2 * pair]) = __half22float2(pairs[pair]);
    }
}

__device__ float4 four(const float* from) { return *reinterpret_cast<const float4*>(from); }

__device__ float product(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

extern "C" __global__ void attention_fused(const __half* queries, const __half* keys,
                                           const __half* values, float* result, int tokens)
{
    __shared__ float part[tile][pitch]; // of the keys, later of the values
    __shared__ float q[16][depth]; // at most 16 warps
    extern __shared__ float all_scores[];

    int lane = threadIdx.x;
    int query = blockIdx.x * blockDim.y + threadIdx.y;
    size_t head = static_cast<size_t>(blockIdx.y) * tokens;
    float* scores = all_scores + threadIdx.y * tokens;
    for (int i = lane; i < depth; i += 32)
        q[threadIdx.y][i] =
            query < tokens ? __half2float(queries[(head + query) * depth + i]) : 0.0f;

    for (int first = 0; first < tokens; first += tile) {
        __syncthreads(); // all warps are done with the previous part
        load(part, keys + head * depth, first, tokens);
        __syncthreads();
        float left = 0, right = 0;
        for (int i = 0; i < depth; i += 4) {
            float4 mine = four(&q[threadIdx.y][i]);
            left += product(mine, four(&part[lane][i]));
            right += product(mine, four(&part[lane + 32][i]));
        }
        if (first + lane < tokens) scores[first + lane] = left * 0.125f; // 1 / √depth
        if (first + lane + 32 < tokens) scores[first + lane + 32] = right * 0.125f;
    }

    float largest = -INFINITY;
    for (int key = lane; key < tokens; key += 32) largest = fmaxf(largest, scores[key]);
    for (int other = 16; other > 0; other /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, other));
    float sum = 0;
    for (int key = lane; key < tokens; key += 32) {
        scores[key] = expf(scores[key] - largest);
        sum += scores[key];
    }
    for (int other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(~0u, sum, other);

    float2 mean = make_float2(0, 0); // each lane has two neighbouring numbers
    for (int first = 0; first < tokens; first += tile) {
        __syncthreads();
        load(part, values + head * depth, first, tokens);
        __syncthreads();
        int count = min(tile, tokens - first);
        for (int key = 0; key < count; ++key) {
            float weight = scores[first + key];
            float2 value = *reinterpret_cast<const float2*>(&part[key][2 * lane]);
            mean.x = fmaf(weight, value.x, mean.x);
            mean.y = fmaf(weight, value.y, mean.y);
        }
    }
    mean.x /= sum;
    mean.y /= sum;
    if (query < tokens)
        *reinterpret_cast<float2*>(result + (head + query) * depth + 2 * lane) = mean;
}
