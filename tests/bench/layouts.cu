// One access of one warp to shared memory per launch, as listed in a file that layouts.py writes:
// "KIND WIDTH MATRICES ACTIVE", then 32 byte offsets. Nothing else touches shared memory, so that
// Nsight Compute's wavefronts of a launch are those of the access.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

constexpr int max_bytes = 227 * 1024;

struct Case {
    std::string kind;
    int width = 4;
    int matrices = 0;
    unsigned active = 0;
    std::vector<unsigned> offsets;
};

__device__ unsigned address_of(const unsigned* offsets)
{
    extern __shared__ char tile[];
    return static_cast<unsigned>(__cvta_generic_to_shared(tile)) + offsets[threadIdx.x];
}

template <int Width>
__global__ void load(const unsigned* offsets, unsigned active, uint4* out)
{
    const unsigned where = address_of(offsets);
    uint4 value{};
    if ((active >> threadIdx.x & 1) != 0) {
        if (Width == 1) asm volatile("ld.shared.u8 %0, [%1];" : "=r"(value.x) : "r"(where));
        if (Width == 2) {
            unsigned short half = 0;
            asm volatile("ld.shared.u16 %0, [%1];" : "=h"(half) : "r"(where));
            value.x = half;
        }
        if (Width == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value.x) : "r"(where));
        if (Width == 8)
            asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(value.x), "=r"(value.y) : "r"(where));
        if (Width == 16)
            asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                         : "r"(where));
    }
    out[threadIdx.x] = value;
}

template <int Width>
__global__ void store(const unsigned* offsets, unsigned active, uint4*)
{
    const unsigned where = address_of(offsets), value = threadIdx.x;
    if ((active >> threadIdx.x & 1) == 0) return;
    if (Width == 1) asm volatile("st.shared.u8 [%1], %0;" ::"r"(value), "r"(where));
    if (Width == 2)
        asm volatile("st.shared.u16 [%1], %0;" ::"h"(static_cast<unsigned short>(value)), "r"(where));
    if (Width == 4) asm volatile("st.shared.u32 [%1], %0;" ::"r"(value), "r"(where));
    if (Width == 8) asm volatile("st.shared.v2.u32 [%1], {%0, %0};" ::"r"(value), "r"(where));
    if (Width == 16) asm volatile("st.shared.v4.u32 [%1], {%0, %0, %0, %0};" ::"r"(value), "r"(where));
}

template <int Matrices>
__global__ void load_matrix(const unsigned* offsets, unsigned, uint4* out)
{
    const unsigned where = address_of(offsets);
    uint4 v{};
    if (Matrices == 1)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v.x) : "r"(where));
    if (Matrices == 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(v.x), "=r"(v.y)
                     : "r"(where));
    if (Matrices == 4)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "r"(where));
    out[threadIdx.x] = v;
}

template <int Matrices>
__global__ void store_matrix(const unsigned* offsets, unsigned, uint4*)
{
    const unsigned where = address_of(offsets), v = threadIdx.x;
    if (Matrices == 1)
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%1], {%0};" ::"r"(v), "r"(where));
    if (Matrices == 2)
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%1], {%0, %0};" ::"r"(v), "r"(where));
    if (Matrices == 4)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%1], {%0, %0, %0, %0};" ::"r"(v), "r"(where));
}

using Kernel = void (*)(const unsigned*, unsigned, uint4*);

Kernel kernel_of(const Case& wanted)
{
    if (wanted.kind == "load")
        switch (wanted.width) {
        case 1: return load<1>;
        case 2: return load<2>;
        case 4: return load<4>;
        case 8: return load<8>;
        default: return load<16>;
        }
    if (wanted.kind == "store")
        switch (wanted.width) {
        case 1: return store<1>;
        case 2: return store<2>;
        case 4: return store<4>;
        case 8: return store<8>;
        default: return store<16>;
        }
    if (wanted.kind == "ldmatrix")
        return wanted.matrices == 1   ? load_matrix<1>
               : wanted.matrices == 2 ? load_matrix<2>
                                      : load_matrix<4>;
    return wanted.matrices == 1 ? store_matrix<1> : wanted.matrices == 2 ? store_matrix<2> : store_matrix<4>;
}

int main(int, char** argv)
{
    std::ifstream file(argv[1]);
    unsigned* offsets = nullptr;
    uint4* out = nullptr;
    cudaMalloc(&offsets, 32 * sizeof(unsigned));
    cudaMalloc(&out, 32 * sizeof(uint4));
    Case one;
    int count = 0;
    while (file >> one.kind >> one.width >> one.matrices >> one.active) {
        one.offsets.resize(32);
        for (unsigned& offset : one.offsets) file >> offset;
        const Kernel kernel = kernel_of(one);
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, max_bytes);
        cudaMemcpy(offsets, one.offsets.data(), 32 * sizeof(unsigned), cudaMemcpyHostToDevice);
        kernel<<<1, 32, max_bytes>>>(offsets, one.active, out);
        if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
            std::printf("case %d: %s\n", count, cudaGetErrorString(error));
            return 1;
        }
        ++count;
    }
    std::printf("%d accesses\n", count);
}
