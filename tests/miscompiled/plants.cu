// Kernels in whose PTX check.py plants one wrong instruction each, as compilers and assemblers have been seen to make
// them. Thread i reads in[i] and its neighbours and writes out[i].
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL(name, type) extern "C" __global__ void name(const type* __restrict__ in, type* __restrict__ out)

KERNEL(strength, unsigned) { unsigned x = in[I]; out[I] = x * 40u + (x >> 3) * 7u; }
KERNEL(divide_constant, unsigned) { out[I] = in[I] / 7u + in[I ^ 1] % 10u; }
KERNEL(divide_signed, int) { out[I] = in[I] / 8 - in[I ^ 1] / 3; }
KERNEL(sign_extend, int) { short half = static_cast<short>(in[I]); out[I] = half * 3 + (in[I] >> 16); }
KERNEL(bytes, unsigned char) { int sum = 0; for (int k = 0; k < 4; ++k) sum += in[I ^ k]; out[I] = sum >> 2; }
KERNEL(signed_bytes, signed char) { int sum = in[I] * in[I ^ 1]; out[I] = sum >> 3; }
KERNEL(shift_right, int) { out[I] = (in[I] >> 5) + (in[I ^ 2] << 2); }
KERNEL(rotate, unsigned) { out[I] = __funnelshift_l(in[I], in[I ^ 1], 9) ^ in[I ^ 2]; }
KERNEL(guarded, int) { int x = in[I]; if (x > 10) out[I] = x * x; else out[I] = -x; }
KERNEL(several_conditions, int) { int x = in[I], y = in[I ^ 1]; out[I] = (x < 20 && y >= 5) ? x - y : x + y; }
KERNEL(unsigned_compare, unsigned) { unsigned x = in[I]; out[I] = x < 0x80000010u ? x + 1 : x - 1; }
KERNEL(negated, float) { out[I] = -in[I] * in[I ^ 1] + 2.0f; }
KERNEL(subtract, float) { out[I] = __fadd_rn(in[I], -in[I ^ 3]); }
KERNEL(rounding, float) { out[I] = __fmul_rz(in[I], in[I ^ 1]) + __fadd_ru(in[I], 1.5f); }
KERNEL(fused, float) { out[I] = fmaf(in[I], in[I ^ 1], in[I ^ 2]); }
KERNEL(not_fused, float) { out[I] = __fadd_rn(__fmul_rn(in[I], in[I ^ 1]), in[I ^ 2]); }
KERNEL(loop, int) { int sum = 0; for (int k = 0; k < in[0] + 9; ++k) sum += in[(I + k) & 63] * k; out[I] = sum; }
KERNEL(loop_start, int) { int sum = 1; for (int k = in[1]; k < 20; k += 3) sum = sum * 3 + k; out[I] = sum + I; }
KERNEL(vector_lanes, uint4) { uint4 v = in[I], w = in[I ^ 1]; out[I] = make_uint4(v.x + w.w, v.y * 3, v.z ^ w.x, v.w - w.y); }
KERNEL(vector_pairs, float2) { float2 v = in[I]; out[I] = make_float2(v.x * 2.0f - v.y, v.y * v.x); }
extern "C" __global__ void bound(const int* __restrict__ in, int* __restrict__ out, int count)
{
    int i = I;
    if (i < count) out[i] = in[i] * 5 + 2;
}
KERNEL(carry, unsigned long long) { unsigned long long x = in[I], y = in[I ^ 1]; unsigned long long low, high;
    asm("add.cc.u64 %0, %2, %3;\n\taddc.u64 %1, 0, 5;" : "=l"(low), "=l"(high) : "l"(x), "l"(y)); out[I] = low ^ high << 7; }
KERNEL(borrow, unsigned) { unsigned x = in[I], y = in[I ^ 1], low, high;
    asm("sub.cc.u32 %0, %2, %3;\n\tsubc.u32 %1, 9, 0;" : "=r"(low), "=r"(high) : "r"(x), "r"(y)); out[I] = low + high * 3; }
KERNEL(wide_product, unsigned) { out[I] = __umulhi(in[I], 0x9e3779b9u) ^ in[I ^ 1] * 3u; }
KERNEL(wide_index, int) { long long far = static_cast<long long>(in[I]) * 1000003; out[I] = static_cast<int>(far >> 20) + static_cast<int>(far); }
KERNEL(minimum, float) { out[I] = fminf(in[I], in[I ^ 1]) + fmaxf(in[I], 0.25f); }
KERNEL(minimum_nan, float) { float x = (I & 3) == 1 ? nanf("") : in[I]; out[I] = fmaxf(x, in[I ^ 2]); }
KERNEL(integer_minimum, int) { out[I] = min(in[I], in[I ^ 1]) * 2 + max(in[I ^ 2], 3); }
KERNEL(to_integer, float) { out[I] = static_cast<float>(static_cast<int>(in[I] * 100.0f)) + rintf(in[I ^ 1]); }
KERNEL(to_float, int) { float x = static_cast<float>(static_cast<unsigned>(in[I])); out[I] = __float_as_int(x * 0.5f); }
KERNEL(halves, unsigned short) { unsigned x = in[I]; out[I] = static_cast<unsigned short>(x * 257u >> 4); }
KERNEL(permute, unsigned) { out[I] = __byte_perm(in[I], in[I ^ 1], 0x5140) + 1; }
KERNEL(addresses, int) { out[I] = in[I * 2 & 63] + 10 * in[(I + 3) & 63]; }
KERNEL(rows, int) { int row = I / 8, column = I % 8; out[I] = in[column * 8 + row] + in[row * 8]; }
KERNEL(shuffle_up, int) { int x = in[I]; int y = __shfl_up_sync(0xffffffff, x, 3); out[I] = x - y; }
KERNEL(shuffle_xor, float) { float x = in[I]; for (int o = 16; o > 0; o /= 2) x += __shfl_xor_sync(0xffffffff, x, o); out[I] = x + I; }
KERNEL(ballot, unsigned) { unsigned all = __ballot_sync(0xffffffff, in[I] % 3 == 0); out[I] = __popc(all & ((1u << (I & 31)) - 1)); }
KERNEL(selected, int) { int x = in[I], y = in[I ^ 1]; out[I] = (x & 4 ? y : x) + (y > x ? 7 : 11); }
KERNEL(bits, unsigned) { unsigned x = in[I]; out[I] = (x & ~in[I ^ 1]) | (x >> 4 & 0xf0f0u); }
KERNEL(three_inputs, unsigned) { unsigned a = in[I], b = in[I ^ 1], c = in[I ^ 2]; out[I] = (a & b) ^ (b | c) ^ (a & ~c); }
KERNEL(field, unsigned) { unsigned x = in[I], field; asm("bfe.u32 %0, %1, 5, 11;" : "=r"(field) : "r"(x)); out[I] = field * 3 + x; }
KERNEL(inserted, unsigned) { unsigned x = in[I], y = in[I ^ 1], r; asm("bfi.b32 %0, %1, %2, 8, 12;" : "=r"(r) : "r"(x), "r"(y)); out[I] = r ^ 1; }
KERNEL(count_zeros, unsigned) { out[I] = __clz(in[I]) * 32 + __popc(in[I ^ 1]) + __ffs(in[I ^ 2]); }
KERNEL(absolute, int) { out[I] = abs(in[I] - 20) * 3 + in[I ^ 1]; }
KERNEL(shared_reversed, int) { __shared__ int tile[64]; tile[threadIdx.x] = in[I]; __syncthreads(); out[I] = tile[63 - threadIdx.x] * 2 + tile[threadIdx.x ^ 1]; }
KERNEL(shared_sum, int) { __shared__ int sums[64]; sums[threadIdx.x] = in[I]; __syncthreads();
    for (int step = 32; step > 0; step /= 2) { if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step]; __syncthreads(); }
    out[I] = sums[0] + threadIdx.x; }
KERNEL(doubles, double) { out[I] = in[I] * in[I ^ 1] - in[I ^ 2] * 0.5; }
KERNEL(square_root, float) { out[I] = sqrtf(in[I]) + in[I ^ 1] / (in[I] + 1.0f); }
KERNEL(switched, int) { int x = in[I]; switch (x & 3) { case 0: x += 5; break; case 1: x *= 3; break; case 2: x -= 9; break; default: x ^= 21; } out[I] = x; }
KERNEL(nested, int) { int sum = 0; for (int a = 0; a < (in[I] & 3) + 2; ++a) for (int b = 0; b <= a; ++b) sum += a * b + in[(I + b) & 63]; out[I] = sum; }
