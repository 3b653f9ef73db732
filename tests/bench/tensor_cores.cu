// Times the lab Tensor cores' fastest kernels against cuBLAS at the same precision: bf16 factors, f32 sums, a
// bf16 result. All take turns in one run, and the results are compared with sums in double precision.
//
//   tensor_cores LIBCUBLAS [SIZE [ROUNDS]]
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

// Result types: the same 16 bits, stored in two ways.
struct Narrow {
    __nv_bfloat16 value;
};
struct Wide {
    __nv_bfloat16 value;
};

__device__ unsigned packed(float left, float right)
{
    const __nv_bfloat162 both = __floats2bfloat162_rn(left, right);
    return *reinterpret_cast<const unsigned*>(&both);
}

// A thread stores 4 bytes at a time, as it holds them.
__device__ void store(Narrow* c, const float (&sums)[128], int row, int column, int rows, int columns)
{
    for (int j = 0; j < 128; j += 2) {
        const int y = row + j / 2 % 2 * 8, x = column + j / 4 * 8;
        if (y < rows && x < columns)
            *reinterpret_cast<unsigned*>(&c[std::size_t(y) * columns + x]) = packed(sums[j], sums[j + 1]);
    }
}

// Four lanes exchange their parts of four groups of eight columns; each then stores 16 bytes.
__device__ void store(Wide* c, const float (&sums)[128], int row, int column, int rows, int columns)
{
    const int lane = threadIdx.x % 4;
    const bool odd = lane & 1, high = lane & 2;
    for (int half = 0; half < 2; ++half)
        for (int j = 0; j < 128; j += 16) {
            unsigned part[4];
            for (int i = 0; i < 4; ++i) part[i] = packed(sums[j + 4 * i + 2 * half], sums[j + 4 * i + 2 * half + 1]);
            // Transposes 4 x 4 words of four lanes: first single words, then pairs.
            for (int i = 0; i < 4; i += 2) {
                const unsigned got = __shfl_xor_sync(~0u, odd ? part[i] : part[i + 1], 1);
                (odd ? part[i] : part[i + 1]) = got;
            }
            for (int i = 0; i < 2; ++i) {
                const unsigned got = __shfl_xor_sync(~0u, high ? part[i] : part[i + 2], 2);
                (high ? part[i] : part[i + 2]) = got;
            }
            const int y = row + half * 8, x = column - lane * 2 + j * 2 + lane * 8;
            if (y < rows && x < columns)
                *reinterpret_cast<uint4*>(&c[std::size_t(y) * columns + x]) = make_uint4(part[0], part[1], part[2], part[3]);
        }
}

namespace pipeline {
#include "compute/labs/tensor_cores/pipeline_sm_90a.cu"
#undef WGMMA
#undef EIGHT
#undef THIRTY_TWO
} // namespace pipeline
namespace multicast {
#include "tests/bench/tensor_cores_multicast.cu"
} // namespace multicast

template <class Sum>
__global__ void __launch_bounds__(384) plain_kernel(const __grid_constant__ pipeline::TensorMap a,
                                                    const __grid_constant__ pipeline::TensorMap b, Sum* c, int rows,
                                                    int columns, int depth)
{
    pipeline::product<pipeline::bf16>(a, b, c, rows, columns, depth);
}

template <class Sum>
__global__ void __launch_bounds__(384) __cluster_dims__(2)
    shared_kernel(const __grid_constant__ multicast::TensorMap a, const __grid_constant__ multicast::TensorMap b, Sum* c,
                  int rows, int columns, int depth)
{
    multicast::product<multicast::bf16>(a, b, c, rows, columns, depth);
}

namespace {

void check(cudaError_t status, const char* what)
{
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

CUtensorMap map_of(const void* matrix, int rows, int depth, CUtensorMapL2promotion promotion)
{
    static const auto encode = [] {
        void* found = nullptr;
        cudaDriverEntryPointQueryResult result;
        check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result),
              "cuTensorMapEncodeTiled");
        return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
    }();
    CUtensorMap map;
    const cuuint64_t sizes[] = {cuuint64_t(depth), cuuint64_t(rows)}, strides[] = {2 * cuuint64_t(depth)};
    const cuuint32_t box[] = {64, 128}, steps[] = {1, 1};
    const CUresult status =
        encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<void*>(matrix), sizes, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, promotion,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS) std::fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", status), std::exit(1);
    return map;
}

// C = A * B by cublasGemmEx, with bf16 factors and result; B by columns, or by rows.
struct Cublas {
    static constexpr std::size_t workspace_bytes = std::size_t{64} << 20;
    using Gemm = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                         const void*, void*, int, int, int, int);
    void* handle = nullptr;
    Gemm gemm = nullptr;

    explicit Cublas(const char* library)
    {
        void* const opened = dlopen(library, RTLD_NOW);
        if (opened == nullptr) std::fprintf(stderr, "%s\n", dlerror()), std::exit(1);
        const auto create = reinterpret_cast<int (*)(void**)>(dlsym(opened, "cublasCreate_v2"));
        gemm = reinterpret_cast<Gemm>(dlsym(opened, "cublasGemmEx"));
        if (create == nullptr || gemm == nullptr || create(&handle) != 0)
            std::fprintf(stderr, "cuBLAS cannot be used.\n"), std::exit(1);
        const auto give = reinterpret_cast<int (*)(void*, void*, std::size_t)>(dlsym(opened, "cublasSetWorkspace_v2"));
        void* workspace = nullptr;
        if (give == nullptr || cudaMalloc(&workspace, workspace_bytes) != cudaSuccess ||
            give(handle, workspace, workspace_bytes) != 0)
            std::fprintf(stderr, "cuBLAS gets no workspace.\n"), std::exit(1);
    }
    void operator()(const void* a, const void* b, void* c, int size, bool by_columns) const
    {
        constexpr int as_is = 0, transposed = 1, bf16 = 14, compute_32f = 68, default_algorithm = -1;
        const float one = 1, zero = 0;
        // Column-major: our rows are its columns.
        const int status = gemm(handle, by_columns ? transposed : as_is, as_is, size, size, size, &one, b, bf16, size, a, bf16, size, &zero,
                                c, bf16, size, compute_32f, default_algorithm);
        if (status != 0) std::fprintf(stderr, "cublasGemmEx: status %d\n", status), std::exit(1);
    }
};

__global__ void fill(__nv_bfloat16* to, std::size_t count, std::uint32_t seed)
{
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
         i += std::size_t(gridDim.x) * blockDim.x) {
        std::uint64_t x = (i + seed * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
        x = (x ^ x >> 29) * 0x94d049bb133111ebull;
        x ^= x >> 32;
        to[i] = __float2bfloat16(float(x & 0xffffff) / 8388608.0f - 1.0f);
    }
}

// Largest error over a sample of elements, in units of the root of the depth.
double error_of(const std::vector<__nv_bfloat16>& a, const std::vector<__nv_bfloat16>& b, const void* c, int size)
{
    std::vector<__nv_bfloat16> got(std::size_t(size) * size);
    check(cudaMemcpy(got.data(), c, got.size() * 2, cudaMemcpyDeviceToHost), "copy of C");
    double worst = 0;
    for (std::size_t i = 0; i < 4096; ++i) {
        const std::size_t at = i * 2654435761u % got.size(), row = at / size, column = at % size;
        double sum = 0;
        for (int k = 0; k < size; ++k)
            sum += double(__bfloat162float(a[row * size + k])) * __bfloat162float(b[column * size + k]);
        const double error = std::abs(__bfloat162float(got[at]) - sum) / std::max(1.0, std::abs(sum));
        worst = error <= worst ? worst : error; // also takes NaN
    }
    return worst;
}

struct Entry {
    std::string name;
    std::function<void()> run;
    std::vector<float> ms{};
    double error = 0;
};

double median(std::vector<float> all)
{
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

} // namespace

int main(int count, char** words)
{
    if (count < 2) {
        std::fprintf(stderr, "usage: tensor_cores LIBCUBLAS [SIZE [ROUNDS]]\n");
        return 2;
    }
    int size = count > 2 ? std::atoi(words[2]) : 8192;
    const int rounds = count > 3 ? std::atoi(words[3]) : 60;
    cudaDeviceProp gpu;
    check(cudaGetDeviceProperties(&gpu, 0), "GPU");
    const Cublas cublas(words[1]);

    const std::size_t elements = std::size_t(size) * size;
    __nv_bfloat16 *a, *b, *c;
    for (auto** matrix : {&a, &b, &c}) check(cudaMalloc(matrix, elements * 2), "memory");
    fill<<<1024, 256>>>(a, elements, 1);
    fill<<<1024, 256>>>(b, elements, 2);
    CUtensorMap maps[2][2]; // by the sectors that L2 fetches together
    for (const int wide : {0, 1})
        for (const int which : {0, 1})
            maps[wide][which] = map_of(which == 0 ? a : b, size, size,
                                       wide ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B);

    static constexpr int shared = 4 * 49152;
    std::vector<Entry> entries;
    entries.push_back({"cuBLAS, B by columns", [&] { cublas(a, b, c, size, true); }});
    entries.push_back({"cuBLAS, B by rows", [&] { cublas(a, b, c, size, false); }});
    const auto add = [&](const char* name, const void* kernel, int wide) {
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), name);
        entries.push_back({name, [&maps, &c, &size, &gpu, kernel, name, wide] {
            void* arguments[] = {&maps[wide][0], &maps[wide][1], &c, &size, &size, &size};
            check(cudaLaunchKernel(kernel, dim3(gpu.multiProcessorCount / 2 * 2), dim3(384), arguments, shared, 0), name);
        }});
    };
    const auto of = [](auto* kernel) { return reinterpret_cast<const void*>(kernel); };
    add("pipeline, 4-byte stores", of(&plain_kernel<Narrow>), 0);
    add("pipeline, 16-byte stores", of(&plain_kernel<Wide>), 0);
    add("pipeline, 16, L2 256 bytes", of(&plain_kernel<Wide>), 1);
    add("multicast, 4-byte stores", of(&shared_kernel<Narrow>), 0);
    add("multicast, 16-byte stores", of(&shared_kernel<Wide>), 0);
    add("multicast, 16, L2 256 bytes", of(&shared_kernel<Wide>), 1);

    std::vector<__nv_bfloat16> host_a(elements), host_b(elements);
    check(cudaMemcpy(host_a.data(), a, elements * 2, cudaMemcpyDeviceToHost), "copy of A");
    check(cudaMemcpy(host_b.data(), b, elements * 2, cudaMemcpyDeviceToHost), "copy of B");
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    for (Entry& entry : entries) {
        check(cudaMemset(c, 0xff, elements * 2), "clearing C");
        entry.run();
        check(cudaDeviceSynchronize(), entry.name.c_str());
        // With B by rows the same memory is another matrix.
        if (&entry != &entries[1]) entry.error = error_of(host_a, host_b, c, size);
    }
    for (int round = -5; round < rounds; ++round) // five to warm up
        for (Entry& entry : entries) {
            check(cudaEventRecord(begin), "event");
            entry.run();
            check(cudaEventRecord(end), "event");
            check(cudaEventSynchronize(end), entry.name.c_str());
            float ms = 0;
            check(cudaEventElapsedTime(&ms, begin, end), "time");
            if (round >= 0) entry.ms.push_back(ms);
        }

    const double flops = 2.0 * size * size * size;
    const double theirs = std::min(median(entries[0].ms), median(entries[1].ms));
    std::printf("%s, %d x %d x %d, bf16, median of %d, all in turn\n", gpu.name, size, size, size, rounds);
    std::printf("%-28s %10s %10s %10s %14s %12s\n", "kernel", "median ms", "min ms", "TFLOP/s", "of best cuBLAS", "worst error");
    bool right = true;
    for (const Entry& entry : entries) {
        const double ms = median(entry.ms);
        // bf16 keeps 8 bits: rounding the result is wrong by up to 2^-9 of it.
        right = right && entry.error <= 0x1p-8;
        std::printf("%-28s %10.4f %10.4f %10.1f %14.3f %12.2g\n", entry.name.c_str(), ms,
                    *std::min_element(entry.ms.begin(), entry.ms.end()), flops / ms / 1e9, theirs / ms, entry.error);
    }
    std::printf("results: %s\n", right ? "right" : "WRONG");
    return right ? 0 : 1;
}
