// Kernels for comparing counts: each shows one shape of control flow or access. All take the same arguments, read `in`
// and write `out`, both of 65536 words, and give results that do not depend on the order of threads.

#define KERNEL(name) extern "C" __global__ void name(unsigned* out, const unsigned* in, int n)

__device__ inline int global_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

KERNEL(copy_unit)
{
    const int i = global_index();
    if (i < n) out[i] = in[i];
}

KERNEL(copy_strided)
{
    const int i = global_index();
    out[i] = in[(i * 7) & 65535];
}

KERNEL(copy_offset)
{
    const int i = global_index();
    out[i] = in[i + 3];
}

KERNEL(gather_random)
{
    const int i = global_index();
    out[i] = in[in[i] & 65535];
}

KERNEL(load_same)
{
    out[global_index()] = in[blockIdx.x] + in[5];
}

KERNEL(early_return)
{
    const int i = global_index();
    if (in[i] % 3 == 0) return;
    out[i] = in[i + 1] * 2;
}

KERNEL(divergent_loop)
{
    const int i = global_index();
    const unsigned trips = in[i] % 13;
    unsigned sum = 0;
    for (unsigned k = 0; k < trips; ++k) sum += in[(i + 31 * k) & 65535];
    out[i] = sum;
}

KERNEL(unrolled_loop)
{
    const int i = global_index();
    unsigned sum = 0;
#pragma unroll 4
    for (int k = 0; k < n % 23; ++k) sum += in[(i + k * 64) & 65535];
    out[i] = sum;
}

KERNEL(loop_with_break)
{
    const int i = global_index();
    unsigned sum = 0;
    for (int k = 0; k < 16; ++k) {
        const unsigned value = in[(i * 16 + k) & 65535];
        if (value % 11 == 0) break;
        sum += value;
    }
    out[i] = sum;
}

KERNEL(nested_branches)
{
    const int i = global_index();
    unsigned value = in[i];
    if (value & 1) {
        if (value & 2) value += in[(i + 7) & 65535];
        else value ^= in[(i + 9) & 65535];
        out[i] = value;
    } else {
        out[i] = value >> 1;
    }
}

KERNEL(switch_table)
{
    const int i = global_index();
    unsigned value = in[i];
    switch (value % 8) {
    case 0: value += in[(i + 1) & 65535]; break;
    case 1: value *= in[(i + 2) & 65535]; break;
    case 2: value ^= in[(i + 3) & 65535]; break;
    case 3: value -= in[(i + 4) & 65535]; break;
    case 4: value |= in[(i + 5) & 65535]; break;
    case 5: value &= in[(i + 6) & 65535]; break;
    case 6: value = in[(i + 7) & 65535] / 3; break;
    default: value = in[(i + 8) & 65535] % 5; break;
    }
    out[i] = value;
}

KERNEL(guarded_accesses)
{
    const int i = global_index();
    const unsigned value = in[i];
    asm volatile("{\n\t.reg .pred p;\n\t.reg .u32 v;\n\tmov.u32 v, 9;\n\tsetp.gt.u32 p, %1, 2147483647;\n\t"
                 "@p ld.global.u32 v, [%2];\n\t@!p st.global.u32 [%0], %1;\n\t@p st.global.u32 [%0], v;\n\t}"
                 :
                 : "l"(out + i), "r"(value), "l"(in + (i ^ 5))
                 : "memory");
}

KERNEL(vector_widths)
{
    const int i = global_index() & 4095;
    const uint2 two = reinterpret_cast<const uint2*>(in)[i];
    const uint4 four = reinterpret_cast<const uint4*>(in)[i];
    reinterpret_cast<uint2*>(out)[i] = make_uint2(two.x + 1, two.y + 1);
    reinterpret_cast<uint4*>(out + 16384)[i] = make_uint4(four.w, four.z, four.y, four.x);
}

KERNEL(narrow_widths)
{
    const int i = global_index();
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(in);
    const unsigned short* halves = reinterpret_cast<const unsigned short*>(in);
    out[i] = bytes[i * 3 & 65535] + halves[i * 5 & 65535];
    reinterpret_cast<unsigned char*>(out + 32768)[i] = bytes[i];
}

KERNEL(double_width)
{
    const int i = global_index();
    const double* numbers = reinterpret_cast<const double*>(in);
    if (threadIdx.x % 4 != 3) reinterpret_cast<double*>(out)[i & 16383] = numbers[(i * 2) & 16383];
}

KERNEL(read_only_cache)
{
    const int i = global_index();
    out[i] = __ldg(in + ((i * 33) & 65535)) + __ldg(in + (i & ~1));
}

KERNEL(atomics_no_result)
{
    const int i = global_index();
    atomicAdd(out + in[i] % 64, 1u);
    atomicMax(out + 1024 + i / 4, in[i]);
    atomicXor(out + 60000 + i % 2, in[i]);
}

KERNEL(atomics_with_result)
{
    const int i = global_index();
    const unsigned before = atomicAdd(out + 4096 + i, in[i]);
    out[24000 + i] = before + 1;
    if (in[i] & 1) atomicCAS(out + 45000 + i, 0u, in[i]);
}

KERNEL(atomics_wide)
{
    const int i = global_index();
    atomicAdd(reinterpret_cast<unsigned long long*>(out) + in[i] % 32, 1ull);
    atomicExch(out + 40000 + i % 20000, 3u);
}

KERNEL(shared_strides)
{
    __shared__ unsigned tile[4096];
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) tile[k] = in[k];
    __syncthreads();
    unsigned sum = 0;
    for (int stride = 1; stride <= 32; stride *= 2) sum += tile[(threadIdx.x * stride) & 4095];
    out[global_index()] = sum;
}

KERNEL(shared_vectors)
{
    __shared__ uint4 quads[256];
    __shared__ uint2 pairs[256];
    const int t = threadIdx.x & 255;
    quads[t] = make_uint4(in[t], t, in[t + 1], 7);
    pairs[t] = make_uint2(in[t + 2], t);
    __syncthreads();
    const uint4 same = quads[t / 2];
    const uint4 across = quads[(t * 5) & 255];
    const uint2 half = pairs[t & 15];
    const uint2 two = pairs[(t * 2) & 255];
    out[global_index()] = same.x + across.y + half.x + two.y;
}

KERNEL(shared_transpose)
{
    __shared__ unsigned tile[32][32];
    __shared__ unsigned padded[32][33];
    const int column = threadIdx.x % 32;
    const int row = threadIdx.x / 32;
    for (int r = row; r < 32; r += blockDim.x / 32) tile[r][column] = padded[r][column] = in[r * 32 + column];
    __syncthreads();
    for (int r = row; r < 32; r += blockDim.x / 32) out[r * 32 + column] = tile[column][r] - padded[column][r] + r;
}

KERNEL(shared_atomics)
{
    __shared__ unsigned bins[64];
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(bins + in[global_index()] % 64, 1u);
    atomicAdd(bins + threadIdx.x % 2, 2u);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(out + threadIdx.x, bins[threadIdx.x]);
}

KERNEL(block_reduction)
{
    extern __shared__ unsigned partial[];
    partial[threadIdx.x] = in[global_index()];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

KERNEL(interleaved_reduction)
{
    extern __shared__ unsigned partial[];
    partial[threadIdx.x] = in[global_index()];
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        __syncthreads();
        if (threadIdx.x % (2 * step) == 0 && threadIdx.x + step < blockDim.x)
            partial[threadIdx.x] += partial[threadIdx.x + step];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

KERNEL(warp_sum)
{
    unsigned sum = in[global_index()];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) out[global_index() / 32] = sum;
}

__device__ __noinline__ unsigned lookup(const unsigned* table, unsigned at)
{
    const unsigned first = table[at & 65535];
    return first & 1 ? first : table[(at + 1) & 65535];
}

KERNEL(device_function)
{
    const int i = global_index();
    unsigned value = lookup(in, i * 3);
    if (value % 5 < 2) value += lookup(in, value);
    out[i] = value;
}

__device__ __noinline__ unsigned climb(const unsigned* in, unsigned at, int depth)
{
    const unsigned value = in[at & 65535];
    if (depth == 0 || value % 4 == 0) return value;
    return value + climb(in, value, depth - 1);
}

KERNEL(recursion)
{
    const int i = global_index();
    out[i] = climb(in, i, 3);
}

KERNEL(generic_pointers)
{
    __shared__ unsigned tile[256];
    const int i = global_index();
    tile[threadIdx.x & 255] = in[i];
    __syncthreads();
    const unsigned* from = in[i] & 1 ? tile + (threadIdx.x * 2 & 255) : in + (i & 16383);
    out[i] = *from;
}

KERNEL(local_array)
{
    unsigned values[16];
    const int i = global_index();
    for (int k = 0; k < 16; ++k) values[k] = in[(i + k * 97) & 65535];
    unsigned at = in[i] % 16;
    for (int k = 0; k < 4; ++k) at = values[at] % 16;
    out[i] = values[at];
}

KERNEL(odd_block)
{
    const int i = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int threads = blockDim.x * blockDim.y * blockDim.z;
    out[(i * threads + t) & 65535] = in[(i * threads + t * 2) & 65535];
}

KERNEL(whole_warps_leave)
{
    const int i = global_index();
    if ((threadIdx.x / 32) % 2 == 0) return;
    if (i % 3 == 0) out[i] = in[i];
}
