// One warp multiplies matrices with ldmatrix and mma.sync: f16, bf16, tf32 and s8, with small
// integers, so that sums are exact in any order.
#include <cuda_fp16.h>

__global__ void tensor_f16(const unsigned* a, const unsigned* b, float* d)
{
    __shared__ __align__(16) unsigned tile[128];
    const unsigned lane = threadIdx.x;
    for (int i = 0; i < 4; ++i) tile[4 * lane + i] = a[4 * lane + i];
    __syncwarp();
    unsigned x[4];
    const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(tile + 4 * lane));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(row));
    float c[4] = {1, 2, 3, 4};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(b[2 * lane]), "r"(b[2 * lane + 1]));
    for (int i = 0; i < 4; ++i) d[4 * lane + i] = c[i];
}

__global__ void tensor_bf16(const unsigned* a, const unsigned* b, float* d)
{
    const unsigned lane = threadIdx.x;
    float c[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[4 * lane]), "r"(a[4 * lane + 1]), "r"(a[4 * lane + 2]), "r"(a[4 * lane + 3]),
                   "r"(b[2 * lane]), "r"(b[2 * lane + 1]));
    for (int i = 0; i < 4; ++i) d[4 * lane + i] = c[i];
}

__global__ void tensor_tf32(const float* a, const float* b, float* d)
{
    const unsigned lane = threadIdx.x;
    float c[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(__float_as_uint(a[4 * lane])), "r"(__float_as_uint(a[4 * lane + 1])),
                   "r"(__float_as_uint(a[4 * lane + 2])), "r"(__float_as_uint(a[4 * lane + 3])),
                   "r"(__float_as_uint(b[2 * lane])), "r"(__float_as_uint(b[2 * lane + 1])));
    for (int i = 0; i < 4; ++i) d[4 * lane + i] = c[i];
}

__global__ void tensor_s8(const unsigned* a, const unsigned* b, int* d)
{
    const unsigned lane = threadIdx.x;
    int c[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[4 * lane]), "r"(a[4 * lane + 1]), "r"(a[4 * lane + 2]), "r"(a[4 * lane + 3]),
                   "r"(b[2 * lane]), "r"(b[2 * lane + 1]));
    for (int i = 0; i < 4; ++i) d[4 * lane + i] = c[i];
}
