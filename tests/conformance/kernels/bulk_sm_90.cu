// Bulk copies: both directions, updates of all types, copies within shared memory, stores that an
// mbarrier counts, and a ring of buffers.
#include <cstdint>
#include <cuda/ptx>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace ptx = cuda::ptx;

constexpr int words = 128; // of a block

__device__ void wait_for(std::uint64_t* barrier, unsigned parity)
{
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

// Prepares an mbarrier for one arrival.
__device__ void prepare(std::uint64_t* barrier)
{
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
}

// Thread 0 loads `bytes` bytes.
__device__ void load(void* to, const void* from, unsigned bytes, std::uint64_t* barrier)
{
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier,
                                   bytes);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, bytes, barrier);
}

// Thread 0 starts a group of copies to global memory and waits for it.
template <class Copy>
__device__ void leave(Copy copy)
{
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x != 0) return;
    copy();
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

extern "C" __global__ void there_and_back(unsigned* out, const unsigned* in)
{
    __shared__ alignas(128) unsigned buffer[words];
    __shared__ alignas(8) std::uint64_t full;
    prepare(&full);
    if (threadIdx.x == 0) load(buffer, in + blockIdx.x * words, sizeof buffer, &full);
    wait_for(&full, 0);
    const unsigned mine = buffer[threadIdx.x ^ 5];
    __syncthreads();
    buffer[threadIdx.x] = mine * 3 + threadIdx.x;
    leave([&] {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * words, buffer,
                           sizeof buffer);
    });
}

// A ring of three buffers, filled by one warp and read by three.
extern "C" __global__ void ring(unsigned* out, const unsigned* in)
{
    constexpr int stages = 3, steps = 20;
    __shared__ alignas(128) unsigned buffers[stages][32];
    __shared__ alignas(8) std::uint64_t full[stages], empty[stages];
    if (threadIdx.x == 0) {
        for (int i = 0; i < stages; ++i) {
            ptx::mbarrier_init(&full[i], 1);
            ptx::mbarrier_init(&empty[i], 96);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    unsigned sum = threadIdx.x;
    for (int step = 0; step < steps; ++step) {
        const int stage = step % stages;
        const unsigned round = step / stages % 2;
        if (threadIdx.x >= 32) {
            wait_for(&full[stage], round);
            sum = sum * 31 + buffers[stage][threadIdx.x % 32];
            ptx::mbarrier_arrive(&empty[stage]);
        } else if (threadIdx.x == 0) {
            wait_for(&empty[stage], round ^ 1);
            load(buffers[stage], in + (blockIdx.x * 4 + step * 32) % 512, 128, &full[stage]);
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Applies one operation to each of the words of `out`, which start as a copy of the input's end.
template <class T, class Update>
__device__ void update(T* out, const void* in, Update apply)
{
    __shared__ alignas(128) unsigned buffer[words];
    const auto* from = static_cast<const unsigned*>(in);
    auto* to = reinterpret_cast<unsigned*>(out);
    to[threadIdx.x] = from[words - 1 - threadIdx.x];
    buffer[threadIdx.x] = from[threadIdx.x];
    __threadfence();
    ptx::fence_proxy_async();
    leave([&] { apply(out, reinterpret_cast<T*>(buffer)); });
    __syncthreads();
}

extern "C" __global__ void integer_updates(unsigned* out, const unsigned* in)
{
    const auto to_global = ptx::space_global;
    const auto from_shared = ptx::space_shared;
    const unsigned bytes = words * 4;
    int at = 0;
    const auto next = [&] { return out + words * at++; };
#define UPDATE(type, operation)                                                                    \
    update(reinterpret_cast<type*>(next()), in, [&](type* to, type* from) {                        \
        ptx::cp_reduce_async_bulk(to_global, from_shared, ptx::operation, to, from, bytes);        \
    });
    UPDATE(std::uint32_t, op_add)
    UPDATE(std::uint32_t, op_min)
    UPDATE(std::uint32_t, op_max)
    UPDATE(std::uint32_t, op_inc)
    UPDATE(std::uint32_t, op_dec)
    UPDATE(std::uint32_t, op_and_op)
    UPDATE(std::uint32_t, op_or_op)
    UPDATE(std::uint32_t, op_xor_op)
    UPDATE(std::int32_t, op_min)
    UPDATE(std::int32_t, op_max)
    UPDATE(std::uint64_t, op_add)
    UPDATE(std::uint64_t, op_min)
    UPDATE(std::uint64_t, op_max)
    UPDATE(std::int64_t, op_min)
    UPDATE(std::int64_t, op_max)
}

extern "C" __global__ void real_updates(unsigned* out, const unsigned* in)
{
    const auto to_global = ptx::space_global;
    const auto from_shared = ptx::space_shared;
    const unsigned bytes = words * 4;
    int at = 0;
    const auto next = [&] { return out + words * at++; };
    UPDATE(float, op_add)
    UPDATE(double, op_add)
    UPDATE(__half, op_add)
    UPDATE(__half, op_min)
    UPDATE(__half, op_max)
    UPDATE(__nv_bfloat16, op_add)
    UPDATE(__nv_bfloat16, op_min)
    UPDATE(__nv_bfloat16, op_max)
}

// Copies and updates within shared memory, and stores that an mbarrier counts. A GPU refuses them in
// launches without clusters.
extern "C" __global__ void __cluster_dims__(1) within_block(unsigned* out, const unsigned* in)
{
    __shared__ alignas(128) unsigned from[words], to[words], pairs[2 * words];
    __shared__ alignas(8) std::uint64_t full;
    from[threadIdx.x] = in[blockIdx.x * words + threadIdx.x];
    to[threadIdx.x] = 7 * threadIdx.x;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, words);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    const unsigned bytes = 8 + (threadIdx.x == 0 ? words * 4 : 0);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full,
                                   bytes);
    if (threadIdx.x == 0)
        ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add, to, from,
                                  words * 4, &full);
    const std::uint32_t values[2] = {threadIdx.x, from[threadIdx.x ^ 1]};
    ptx::st_async(pairs + 2 * threadIdx.x, values,
                  &full);
    wait_for(&full, 0);
    const unsigned other = threadIdx.x ^ 33;
    out[blockIdx.x * words + threadIdx.x] = to[other] * 5 + pairs[2 * other] * 3 + pairs[2 * other + 1];
}
