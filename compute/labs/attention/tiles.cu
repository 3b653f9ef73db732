// Tiles: both products keep 64 tokens in shared memory, and a thread owns 4 × 4 sums. Queries, keys
// and values are loaded once for 64 tokens. The scores still go through memory, five times.
#include <cuda_fp16.h>

constexpr int depth = 64;        // numbers per token
constexpr int rows = 64;         // queries per block
constexpr int columns = 64;      // keys per block of the first pass
constexpr int tile = 32;         // keys at a time in the last pass
constexpr int threads = 256;     // each has four queries, and four keys or numbers
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
attention_tile_scores(const __half* queries, const __half* keys, float* scores, int tokens)
{
    __shared__ float q[rows][pitch];
    __shared__ float k[columns][pitch];

    size_t head = static_cast<size_t>(blockIdx.z) * tokens;
    int first_query = blockIdx.y * rows, first_key = blockIdx.x * columns;
    int my_row = threadIdx.x / 16 * 4, my_key = threadIdx.x % 16;

    load(q, queries + head * depth, first_query, rows, tokens);
    load(k, keys + head * depth, first_key, columns, tokens);
    __syncthreads();

    float sums[4][4] = {};
    for (int i = 0; i < depth; i += 4) {
        float4 a[4], b[4];
        for (int r = 0; r < 4; ++r) a[r] = four(&q[my_row + r][i]);
        for (int c = 0; c < 4; ++c) b[c] = four(&k[my_key + 16 * c][i]);
        for (int r = 0; r < 4; ++r)
            for (int c = 0; c < 4; ++c)
                sums[r][c] += a[r].x * b[c].x + a[r].y * b[c].y + a[r].z * b[c].z + a[r].w * b[c].w;
    }
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) {
            int query = first_query + my_row + r, key = first_key + my_key + 16 * c;
            if (query < tokens && key < tokens)
                scores[(head + query) * tokens + key] = sums[r][c] * 0.125f; // 1 / √depth
        }
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

extern "C" __global__ void __launch_bounds__(threads)
attention_tile_mean(const float* weights, const __half* values, float* result, int tokens)
{
    __shared__ float w[rows][tile + 4];
    __shared__ float v[tile][pitch];

    size_t head = static_cast<size_t>(blockIdx.z) * tokens;
    int first_query = blockIdx.x * rows;
    int my_row = threadIdx.x / 16 * 4, my_column = threadIdx.x % 16 * 4;

    float sums[4][4] = {};
    for (int first_key = 0; first_key < tokens; first_key += tile) {
        for (int at = threadIdx.x; at < rows * tile; at += threads) {
            int query = first_query + at / tile, key = first_key + at % tile;
            bool exists = query < tokens && key < tokens;
            w[at / tile][at % tile] = exists ? weights[(head + query) * tokens + key] : 0.0f;
        }
        load(v, values + head * depth, first_key, tile, tokens);
        __syncthreads();

        for (int key = 0; key < tile; ++key) {
            float4 b = four(&v[key][my_column]);
            for (int r = 0; r < 4; ++r) {
                float a = w[my_row + r][key];
                sums[r][0] += a * b.x;
                sums[r][1] += a * b.y;
                sums[r][2] += a * b.z;
                sums[r][3] += a * b.w;
            }
        }
        __syncthreads(); // all threads are done with the tiles
    }
    for (int r = 0; r < 4; ++r) {
        int query = first_query + my_row + r;
        if (query < tokens)
            *reinterpret_cast<float4*>(result + (head + query) * depth + my_column) =
                make_float4(sums[r][0], sums[r][1], sums[r][2], sums[r][3]);
    }
}
