// Tensor cores: the same with 2048 products per instruction. A warp has 16 queries. Their scores
// stay in registers, and become the left operand of the second product, rounded to half.
// Causal: a token sees itself and earlier ones. Tiles that hold only later keys are skipped.
#include <cuda_fp16.h>

constexpr int depth = 64;        // numbers per token
constexpr int rows = 64;         // queries per block, 16 for each of four warps
constexpr int tile = 64;         // keys and values that the block holds at a time
constexpr int threads = 128;
constexpr int pitch = depth + 8; // puts eight rows of a fragment in different banks

__device__ void load(__half (*to)[pitch], const __half* from, int first, int tokens)
{
    for (int at = threadIdx.x; at < tile * depth / 8; at += threads) {
        int token = at / (depth / 8), i = at % (depth / 8) * 8;
        uint4 eight = make_uint4(0, 0, 0, 0);
        if (first + token < tokens)
            eight = *reinterpret_cast<const uint4*>(from + (first + token) * depth + i);
        *reinterpret_cast<uint4*>(&to[token][i]) = eight;
    }
}

// Four squares of 8 × 8 halves. Each lane gives the address of one of their rows.
__device__ void load_squares(unsigned (&to)[4], const __half* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row))));
}

__device__ void load_transposed(unsigned (&to)[4], const __half* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row))));
}

// c += a * b: 16 × 16 times 16 × 8. A lane has two numbers in each of two rows of c.
__device__ void multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ unsigned pair(float low, float high)
{
    __half2 two = __floats2half2_rn(low, high);
    return *reinterpret_cast<unsigned*>(&two);
}

extern "C" __global__ void __launch_bounds__(threads)
attention_tensor_cores(const __half* queries, const __half* keys, const __half* values,
                       float* result, int tokens, int causal)
{
    __shared__ __align__(16) __half k[tile][pitch]; // at first the queries
    __shared__ __align__(16) __half v[tile][pitch];

    int lane = threadIdx.x % 32, warp_row = threadIdx.x / 32 * 16;
    int group = lane / 4, member = lane % 4; // the lane's row and columns in a fragment
    size_t head = static_cast<size_t>(blockIdx.y) * tokens;
    int first_query = blockIdx.x * rows;

    unsigned q[4][4];
    load(k, queries + head * depth, first_query, tokens);
    __syncthreads();
    for (int i = 0; i < 4; ++i)
        load_squares(q[i], &k[warp_row + lane % 16][i * 16 + lane / 16 * 8]);

    float largest[2] = {-INFINITY, -INFINITY}, sum[2] = {}, mean[8][4] = {};
    int end = causal ? min(tokens, first_query + rows) : tokens;
    for (int first_key = 0; first_key < end; first_key += tile) {
        __syncthreads(); // all warps are done with the tiles
        load(k, keys + head * depth, first_key, tokens);
        load(v, values + head * depth, first_key, tokens);
        __syncthreads();

        float scores[8][4] = {};
        for (int i = 0; i < 4; ++i)
            for (int n = 0; n < 8; n += 2) {
                unsigned b[4];
                load_squares(b, &k[n * 8 + lane / 16 * 8 + lane % 8][i * 16 + lane / 8 % 2 * 8]);
                multiply_add(scores[n], q[i], b[0], b[1]);
                multiply_add(scores[n + 1], q[i], b[2], b[3]);
            }

        float before[2] = {largest[0], largest[1]};
        for (int n = 0; n < 8; ++n)
            for (int c = 0; c < 4; ++c) {
                int key = first_key + n * 8 + member * 2 + c % 2;
                int query = first_query + warp_row + group + c / 2 * 8;
                bool sees = key < tokens && (!causal || key <= query);
                scores[n][c] = sees ? scores[n][c] * 0.125f : -INFINITY; // 1 / √depth
                largest[c / 2] = fmaxf(largest[c / 2], scores[n][c]);
            }
        for (int h = 0; h < 2; ++h) {
            for (int other = 2; other > 0; other /= 2) // the four lanes of this row
                largest[h] = fmaxf(largest[h], __shfl_xor_sync(~0u, largest[h], other));
            float scale = expf(before[h] - largest[h]);
            sum[h] *= scale;
            for (int n = 0; n < 8; ++n) {
                mean[n][2 * h] *= scale;
                mean[n][2 * h + 1] *= scale;
            }
        }
        for (int n = 0; n < 8; ++n)
            for (int c = 0; c < 4; ++c) {
                scores[n][c] = expf(scores[n][c] - largest[c / 2]); // now weights
                sum[c / 2] += scores[n][c];
            }

        for (int j = 0; j < 4; ++j) { // 16 keys
            float(&left)[4] = scores[2 * j];
            float(&right)[4] = scores[2 * j + 1];
            unsigned w[4] = {pair(left[0], left[1]), pair(left[2], left[3]),
                             pair(right[0], right[1]), pair(right[2], right[3])};
            for (int n = 0; n < 8; n += 2) {
                unsigned b[4];
                load_transposed(b, &v[j * 16 + lane % 16][n * 8 + lane / 16 * 8]);
                multiply_add(mean[n], w, b[0], b[1]);
                multiply_add(mean[n + 1], w, b[2], b[3]);
            }
        }
    }

    for (int h = 0; h < 2; ++h) {
        for (int other = 2; other > 0; other /= 2) sum[h] += __shfl_xor_sync(~0u, sum[h], other);
        int query = first_query + warp_row + group + h * 8;
        for (int n = 0; n < 8; ++n) {
            mean[n][2 * h] /= sum[h];
            mean[n][2 * h + 1] /= sum[h];
        }
        if (query < tokens)
            for (int n = 0; n < 8; ++n)
                *reinterpret_cast<float2*>(result + (head + query) * depth + n * 8 + member * 2) =
                    make_float2(mean[n][2 * h], mean[n][2 * h + 1]);
    }
}
