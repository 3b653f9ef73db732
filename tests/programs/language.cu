// Language features beyond arithmetic: printing, templates, function pointers, votes, groups, the
// heap, errors.
#include "programs.h"

#include <cooperative_groups.h>

__global__ void print_kernel(int what)
{
    if (threadIdx.x < 3) printf("block %d thread %d: %d %5.2f %s\n", blockIdx.x, threadIdx.x, what, 1.5 * what, "done");
}

PROGRAM(prints)
{
    print_kernel<<<1, 4>>>(21);
    CHECK(cudaDeviceSynchronize());
    std::printf("the host\n");
    print_kernel<<<1, 1>>>(2);
    CHECK(cudaDeviceSynchronize());
    return 0;
}

template <class T, int factor>
__global__ void scale(T* values, int n)
{
    const int i = threadIdx.x;
    if (i < n) values[i] *= factor;
}

PROGRAM(templates)
{
    int* whole = device_copy(std::vector<int>{1, 2, 3});
    double* real = device_copy(std::vector<double>{0.5, 1.5, 2.5});
    scale<int, 3><<<1, 32>>>(whole, 3);
    scale<double, 2><<<1, 32>>>(real, 3);
    const auto a = host_copy(whole, 3);
    const auto b = host_copy(real, 3);
    CHECK(cudaFree(whole));
    CHECK(cudaFree(real));
    std::printf("%d %.1f\n", a[2], b[2]);
    return passed(a[2] == 9 && b[2] == 5);
}

__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ int (*const table[])(int) = {twice, square};

__global__ void call_table(int* values, int n)
{
    const int i = threadIdx.x;
    if (i < n) values[i] = table[i % 2](values[i]);
}

PROGRAM(function_pointers)
{
    int* values = device_copy(std::vector<int>{3, 4, 5, 6});
    call_table<<<1, 32>>>(values, 4);
    const auto result = host_copy(values, 4);
    CHECK(cudaFree(values));
    std::printf("%d %d %d %d\n", result[0], result[1], result[2], result[3]);
    return passed(result == std::vector<int>{6, 16, 10, 36});
}

__global__ void votes(int* results)
{
    const unsigned even = __ballot_sync(0xffffffffu, threadIdx.x % 2 == 0);
    const int any = __any_sync(0xffffffffu, threadIdx.x == 31);
    const int all = __all_sync(0xffffffffu, threadIdx.x < 31);
    if (threadIdx.x == 0) {
        results[0] = static_cast<int>(even);
        results[1] = any;
        results[2] = all;
        results[3] = __popc(even);
    }
}

PROGRAM(warp_votes)
{
    int* results;
    CHECK(cudaMalloc(&results, 4 * sizeof(int)));
    votes<<<1, 32>>>(results);
    const auto is = host_copy(results, 4);
    CHECK(cudaFree(results));
    std::printf("%x %d %d %d\n", static_cast<unsigned>(is[0]), is[1], is[2], is[3]);
    return passed(is[1] == 1 && is[2] == 0 && is[3] == 16);
}

__global__ void tile_sums(const int* from, int* to)
{
    namespace cg = cooperative_groups;
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int sum = from[threadIdx.x];
    for (int offset = 4; offset > 0; offset /= 2) sum += tile.shfl_down(sum, offset);
    if (tile.thread_rank() == 0) to[tile.meta_group_rank()] = sum;
}

PROGRAM(tiles)
{
    std::vector<int> values(64);
    for (int i = 0; i < 64; ++i) values[i] = i;
    int* from = device_copy(values);
    int* to;
    CHECK(cudaMalloc(&to, 8 * sizeof(int)));
    tile_sums<<<1, 64>>>(from, to);
    const auto sums = host_copy(to, 8);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    std::printf("%d %d\n", sums[0], sums[7]);
    return passed(sums[0] == 28 && sums[7] == 28 + 8 * 56);
}

__global__ void use_heap(int* results)
{
    int* mine = static_cast<int*>(malloc(4 * sizeof(int)));
    for (int i = 0; i < 4; ++i) mine[i] = threadIdx.x + i;
    results[threadIdx.x] = mine[0] + mine[3];
    free(mine);
}

PROGRAM(device_heap)
{
    int* results;
    CHECK(cudaMalloc(&results, 32 * sizeof(int)));
    use_heap<<<1, 32>>>(results);
    const auto is = host_copy(results, 32);
    CHECK(cudaFree(results));
    std::printf("%d\n", is[31]);
    return passed(is[31] == 65);
}

__global__ void lock_free_max(int* best, const int* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int seen = *best;
    while (values[i] > seen) {
        const int before = atomicCAS(best, seen, values[i]);
        if (before == seen) break;
        seen = before;
    }
}

PROGRAM(compare_and_swap)
{
    std::vector<int> values(200);
    unsigned state = 11;
    int most = 0;
    for (int& value : values) {
        value = static_cast<int>(next_random(state) % 10000);
        if (value > most) most = value;
    }
    int* device = device_copy(values);
    int* best = device_copy(std::vector<int>{0});
    lock_free_max<<<2, 128>>>(best, device, 200);
    const int found = host_copy(best, 1)[0];
    CHECK(cudaFree(device));
    CHECK(cudaFree(best));
    std::printf("%d\n", found);
    return passed(found == most);
}

__global__ void monte_carlo(unsigned* hits, int per_thread)
{
    unsigned state = 17 + 31 * (blockIdx.x * blockDim.x + threadIdx.x);
    unsigned inside = 0;
    for (int i = 0; i < per_thread; ++i) {
        state = state * 1664525u + 1013904223u;
        const unsigned x = state >> 20;
        state = state * 1664525u + 1013904223u;
        const unsigned y = state >> 20;
        inside += x * x + y * y < 4096u * 4096u;
    }
    atomicAdd(hits, inside);
}

PROGRAM(pi)
{
    unsigned* hits = device_copy(std::vector<unsigned>{0});
    monte_carlo<<<4, 64>>>(hits, 40);
    const unsigned count = host_copy(hits, 1)[0];
    const double pi = 4.0 * count / (4 * 64 * 40);
    CHECK(cudaFree(hits));
    std::printf("%u %.4f\n", count, pi);
    return passed(pi > 3.0 && pi < 3.3);
}

__global__ void __launch_bounds__(128) bounded(int* out) { *out = blockDim.x; }

PROGRAM(refused_launches)
{
    int* out;
    CHECK(cudaMalloc(&out, sizeof(int)));
    const auto tried = [&](int grid, int block) {
        bounded<<<grid, block>>>(out);
        return cudaGetLastError();
    };
    const cudaError_t results[] = {tried(1, 128), tried(1, 0), tried(0, 32), tried(1, 2048), tried(1, 64)};
    for (cudaError_t result : results) std::printf("%s\n", cudaGetErrorName(result));
    CHECK(cudaFree(out));
    return 0;
}

PROGRAM(device_query)
{
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    cudaDeviceProp is;
    CHECK(cudaGetDeviceProperties(&is, 0));
    int multiprocessors = 0;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    std::printf("%d.%d, %d multiprocessors, %zu + %zu bytes of shared memory, warps of %d, blocks of %d\n", is.major,
                is.minor, multiprocessors, is.sharedMemPerBlock, is.sharedMemPerBlockOptin, is.warpSize,
                is.maxThreadsPerBlock);
    return passed(count >= 1);
}

__global__ void large_shared(int* out, int n)
{
    extern __shared__ int room[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) room[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) *out = room[n - 1];
}

PROGRAM(shared_opt_in)
{
    constexpr int bytes = 65536;
    int* out;
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    large_shared<<<1, 128, bytes>>>(out, bytes / 4);
    CHECK(cudaGetLastError());
    const int last = host_copy(out, 1)[0];
    CHECK(cudaFree(out));
    std::printf("%d\n", last);
    return passed(last == bytes / 4 - 1);
}
