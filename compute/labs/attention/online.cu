// Online: no row of scores exists as a whole. A block takes 64 queries through all tiles of keys and
// values. For each query it keeps the largest score so far, the sum of weights and the weighted sum.
// When a larger score turns up, both sums are scaled down to it.
#include <cuda_fp16.h>

constexpr int depth = 64;        // numbers per token
constexpr int rows = 64;         // queries per block
constexpr int tile = 32;         // keys and values that it holds at a time
constexpr int threads = 256;     // each has four queries, with two keys and four numbers
constexpr int pitch = depth + 4; // keeps rows of the tiles apart by four banks

// Loads tokens from `first` on as floats; tokens past the last count as 0.
__device__ void load(float (*to)[pitch], const __half* from, int first, int count, int tokens)
{
    for (int at = threadIdx.x; at < count * depth / 8; at += threads) {
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

extern "C" __global__ void __launch_bounds__(threads)
attention_online(const __half* queries, const __half* keys, const __half* values, float* result,
                 int tokens)
{
    __shared__ float q[rows][pitch];
    __shared__ float k[tile][pitch];
    __shared__ float v[tile][pitch];
    __shared__ float w[rows][tile + 4];

    size_t head = static_cast<size_t>(blockIdx.y) * tokens;
    int first_query = blockIdx.x * rows;
    int my_row = threadIdx.x / 16 * 4;
    int my_key = threadIdx.x % 16, my_column = threadIdx.x % 16 * 4;

    float largest[4], sum[4] = {}, mean[4][4] = {};
    for (int r = 0; r < 4; ++r) largest[r] = -INFINITY;
    load(q, queries + head * depth, first_query, rows, tokens);

    for (int first_key = 0; first_key < tokens; first_key += tile) {
        load(k, keys + head * depth, first_key, tile, tokens);
        load(v, values + head * depth, first_key, tile, tokens);
        __syncthreads();

        float scores[4][2] = {};
        for (int i = 0; i < depth; i += 4)
            for (int c = 0; c < 2; ++c) {
                float4 b = four(&k[my_key + 16 * c][i]);
                for (int r = 0; r < 4; ++r) {
                    float4 a = four(&q[my_row + r][i]);
                    scores[r][c] += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
                }
            }

        for (int r = 0; r < 4; ++r) {
            float before = largest[r];
            for (int c = 0; c < 2; ++c) {
                bool exists = first_key + my_key + 16 * c < tokens;
                scores[r][c] = exists ? scores[r][c] * 0.125f : -INFINITY; // 1 / √depth
                largest[r] = fmaxf(largest[r], scores[r][c]);
            }
            for (int lane = 8; lane > 0; lane /= 2) // the 16 threads of this query
                largest[r] = fmaxf(largest[r], __shfl_xor_sync(~0u, largest[r], lane));

            float scale = expf(before - largest[r]);
            sum[r] *= scale;
            for (int i = 0; i < 4; ++i) mean[r][i] *= scale;
            for (int c = 0; c < 2; ++c) {
                float weight = expf(scores[r][c] - largest[r]);
                sum[r] += weight;
                w[my_row + r][my_key + 16 * c] = weight;
            }
        }
        __syncthreads(); // the weights are complete

        for (int key = 0; key < tile; ++key) {
            float4 b = four(&v[key][my_column]);
            for (int r = 0; r < 4; ++r) {
                float a = w[my_row + r][key];
                mean[r][0] += a * b.x;
                mean[r][1] += a * b.y;
                mean[r][2] += a * b.z;
                mean[r][3] += a * b.w;
            }
        }
        __syncthreads(); // all threads are done with the tiles
    }

    for (int r = 0; r < 4; ++r) {
        for (int lane = 8; lane > 0; lane /= 2) sum[r] += __shfl_xor_sync(~0u, sum[r], lane);
        int query = first_query + my_row + r;
        for (int i = 0; i < 4; ++i) mean[r][i] /= sum[r];
        if (query < tokens)
            *reinterpret_cast<float4*>(result + (head + query) * depth + my_column) =
                make_float4(mean[r][0], mean[r][1], mean[r][2], mean[r][3]);
    }
}
