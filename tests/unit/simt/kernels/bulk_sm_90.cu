// Correct uses of bulk copies, as libraries and manuals write them: each must run without a fault.
#include <cuda/barrier>
#include <cuda/ptx>

namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int tile = 256;

// cuda::barrier with a bulk copy that thread 0 starts.
extern "C" __global__ void with_barrier(int* out, const int* in)
{
    __shared__ alignas(128) int buffer[tile];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    Barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(buffer, in + blockIdx.x * tile,
                                      cuda::aligned_size_t<16>(sizeof buffer), barrier);
        token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof buffer);
    } else {
        token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    for (int i = threadIdx.x; i < tile; i += blockDim.x)
        out[blockIdx.x * tile + i] = buffer[tile - 1 - i] + 1;
}

// cuda::memcpy_async on a cuda::barrier: a group of threads copies.
extern "C" __global__ void with_memcpy_async(int* out, const int* in)
{
    __shared__ alignas(16) int buffer[tile];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0)
        cuda::memcpy_async(buffer, in + blockIdx.x * tile,
                           cuda::aligned_size_t<16>(sizeof buffer), barrier);
    barrier.arrive_and_wait();
    for (int i = threadIdx.x; i < tile; i += blockDim.x)
        out[blockIdx.x * tile + i] = buffer[i ^ 1];
}

// Reads a tile, changes it in place, and writes it back.
extern "C" __global__ void round_trip(int* data)
{
    __shared__ alignas(128) int buffer[tile];
    __shared__ alignas(8) std::uint64_t full;
    int* mine = data + blockIdx.x * tile;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full,
                                       sizeof buffer);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffer, mine, sizeof buffer,
                           &full);
    }
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
    for (int i = threadIdx.x; i < tile; i += blockDim.x) buffer[i] = 2 * buffer[i] + i;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, mine, buffer, sizeof buffer);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    __syncthreads();
    buffer[threadIdx.x] = 0; // the copy has read the buffer
}

// A warp fills a ring of buffers, which the other warps sum up.
constexpr int stages = 3, steps = 8;
extern "C" __global__ void pipeline(int* sums, const int* in)
{
    __shared__ alignas(128) int buffers[stages][tile];
    __shared__ alignas(8) std::uint64_t full[stages], empty[stages];
    const int consumers = blockDim.x / 32 - 1;
    if (threadIdx.x == 0) {
        for (int i = 0; i < stages; ++i) {
            ptx::mbarrier_init(&full[i], 1);
            ptx::mbarrier_init(&empty[i], consumers);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    const int* from = in + blockIdx.x * steps * tile;
    if (threadIdx.x < 32) {
        if (threadIdx.x != 0) return;
        int stage = 0;
        std::uint32_t phase = 1; // a new mbarrier's phase before the first counts as complete
        for (int step = 0; step < steps; ++step) {
            while (!ptx::mbarrier_try_wait_parity(&empty[stage], phase)) {
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full[stage], sizeof buffers[stage]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffers[stage],
                               from + step * tile, sizeof buffers[stage], &full[stage]);
            if (++stage == stages) {
                stage = 0;
                phase ^= 1;
            }
        }
        return;
    }
    const int thread = threadIdx.x - 32;
    int sum = 0, stage = 0;
    std::uint32_t phase = 0;
    for (int step = 0; step < steps; ++step) {
        while (!ptx::mbarrier_try_wait_parity(&full[stage], phase)) {
        }
        for (int i = thread; i < tile; i += 32 * consumers) sum += buffers[stage][i];
        __syncwarp();
        if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&empty[stage]);
        if (++stage == stages) {
            stage = 0;
            phase ^= 1;
        }
    }
    atomicAdd(&sums[blockIdx.x], sum);
}

// Blocks add their tiles to one result.
extern "C" __global__ void reduce(int* out, const int* in)
{
    __shared__ alignas(128) int buffer[tile];
    for (int i = threadIdx.x; i < tile; i += blockDim.x) buffer[i] = in[blockIdx.x * tile + i];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, buffer,
                                  sizeof buffer);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// Two buffers take turns: each is written again once the last copy but one has read it.
extern "C" __global__ void two_buffers(int* out)
{
    __shared__ alignas(128) int buffers[2][tile];
    int* to = out + blockIdx.x * steps * tile;
    for (int step = 0; step < steps; ++step) {
        if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
        __syncthreads();
        int* buffer = buffers[step % 2];
        for (int i = threadIdx.x; i < tile; i += blockDim.x)
            buffer[i] = (blockIdx.x * steps + step) * tile + i;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to + step * tile, buffer,
                               sizeof buffers[0]);
            ptx::cp_async_bulk_commit_group();
        }
    }
}
