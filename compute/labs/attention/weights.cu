// Draws the weights of the first head, which most variants never store. A warp has one query.
#include <cuda_fp16.h>

constexpr int depth = 64; // numbers per token

extern "C" __global__ void attention_weights(const __half2* queries, const __half2* keys,
                                             float* shown, int tokens, int causal)
{
    int query = blockIdx.x * blockDim.y + threadIdx.y;
    if (query >= tokens) return;
    int end = causal ? query + 1 : tokens;
    float* row = shown + static_cast<size_t>(query) * tokens;

    float largest = -INFINITY;
    for (int key = threadIdx.x; key < end; key += 32) {
        float score = 0;
        for (int i = 0; i < depth / 2; ++i) {
            float2 a = __half22float2(queries[query * depth / 2 + i]);
            float2 b = __half22float2(keys[key * depth / 2 + i]);
            score = fmaf(a.x, b.x, fmaf(a.y, b.y, score));
        }
        row[key] = score * 0.125f;
        largest = fmaxf(largest, row[key]);
    }
    for (int lane = 16; lane > 0; lane /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, lane));
    float sum = 0;
    for (int key = threadIdx.x; key < end; key += 32) sum += expf(row[key] - largest);
    for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(~0u, sum, lane);
    for (int key = threadIdx.x; key < tokens; key += 32)
        row[key] = key < end ? expf(row[key] - largest) / sum : 0.0f;
}
