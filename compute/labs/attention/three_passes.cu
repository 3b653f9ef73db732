// Three passes: all scores go to memory, are read and replaced by their weights, and are read again
// for the weighted sum. One thread per score, and one per number of the result.
#include <cuda_fp16.h>

constexpr int depth = 64; // numbers per token

// Lanes are neighbouring keys, each 128 bytes from the next.
extern "C" __global__ void attention_scores(const __half2* queries, const __half2* keys,
                                            float* scores, int tokens)
{
    int key = blockIdx.x * blockDim.x + threadIdx.x;
    int query = blockIdx.y * blockDim.y + threadIdx.y;
    size_t head = static_cast<size_t>(blockIdx.z) * tokens;
    if (key >= tokens || query >= tokens) return;

    const __half2* q = queries + (head + query) * depth / 2;
    const __half2* k = keys + (head + key) * depth / 2;
    float sum = 0;
    for (int i = 0; i < depth / 2; ++i) {
        float2 a = __half22float2(q[i]);
        float2 b = __half22float2(k[i]);
        sum = fmaf(a.x, b.x, fmaf(a.y, b.y, sum));
    }
    scores[(head + query) * tokens + key] = sum * 0.125f; // 1 / √depth
}

// A warp per row: its maximum, the sum of its exponentials, and their quotients.
extern "C" __global__ void attention_softmax(float* scores, int tokens)
{
    int query = blockIdx.x * blockDim.y + threadIdx.y;
    if (query >= tokens) return;
    float* row = scores + (static_cast<size_t>(blockIdx.z) * tokens + query) * tokens;

    float largest = -INFINITY;
    for (int key = threadIdx.x; key < tokens; key += 32) largest = fmaxf(largest, row[key]);
    for (int lane = 16; lane > 0; lane /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, lane));

    float sum = 0;
    for (int key = threadIdx.x; key < tokens; key += 32) sum += expf(row[key] - largest);
    for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(~0u, sum, lane);

    for (int key = threadIdx.x; key < tokens; key += 32)
        row[key] = expf(row[key] - largest) / sum;
}

// Lanes are neighbouring numbers of one token's result.
extern "C" __global__ void attention_mean(const float* weights, const __half* values,
                                          float* result, int tokens)
{
    int i = threadIdx.x; // 0 to 63
    int query = blockIdx.x * blockDim.y + threadIdx.y;
    size_t head = static_cast<size_t>(blockIdx.z) * tokens;
    if (query >= tokens) return;

    const float* row = weights + (head + query) * tokens;
    float sum = 0;
    for (int key = 0; key < tokens; ++key)
        sum = fmaf(row[key], __half2float(values[(head + key) * depth + i]), sum);
    result[(head + query) * depth + i] = sum;
}
