// Warp intrinsics, cooperative groups, half precision, 128-bit and bit arithmetic, and inline PTX with its own scope.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void groups(float* data)
{
    const auto block = cooperative_groups::this_thread_block();
    const auto tile = cooperative_groups::tiled_partition<8>(block);
    float value = data[block.thread_rank()];
    for (int step = 4; step > 0; step /= 2) value += tile.shfl_down(value, step);
    if (tile.thread_rank() == 0) data[block.group_index().x] = value;
    block.sync();
    const auto together = cooperative_groups::coalesced_threads();
    if (together.thread_rank() == 0) data[together.size()] = 1.0f;
}

extern "C" __global__ void halves(__half* h, __half2* pair, __nv_bfloat16* b, float* f)
{
    const int i = threadIdx.x;
    h[i] = __hadd(h[i], h[i + 1]);
    pair[i] = __hfma2(pair[i], pair[i + 1], pair[i]);
    b[i] = __hmul(b[i], b[i + 1]);
    f[i] = __half2float(h[i]) + __bfloat162float(b[i]);
}

extern "C" __global__ void bits(unsigned* out, unsigned __int128* wide, double* d)
{
    const unsigned value = out[threadIdx.x];
    unsigned chosen;
    asm volatile("{\n\t.reg .pred chosen;\n\t.reg .u32 t<3>, other;\n\t"
                 "setp.ne.u32 chosen, %1, 0;\n\tmov.u32 t0, 3;\n\tmov.u32 other, t0;\n\t"
                 "selp.u32 %0, other, 2, chosen;\n\t}"
                 : "=r"(chosen)
                 : "r"(value));
    out[threadIdx.x] = chosen + __ballot_sync(~0u, value) + __match_any_sync(~0u, value) + __activemask() +
                       __funnelshift_l(value, chosen, 3) + __byte_perm(value, chosen, 0x1234) + __brev(value) +
                       __dp4a(value, chosen, value) + static_cast<unsigned>(clock());
    wide[0] = wide[1] * wide[2] + 5;
    d[0] = sqrt(d[1]) / d[2] + sin(d[3]) + fma(d[1], d[2], d[3]);
}
