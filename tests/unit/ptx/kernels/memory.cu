// Variables in every space with all kinds of initial values, packed structs, local arrays.
struct Mixed {
    int number;
    char letter;
    double real;
    const int* pointer;
};
#pragma pack(push, 1)
struct Packed {
    char letter;
    int* pointer;
    short number;
};
#pragma pack(pop)

__device__ int counter = 5;
__device__ Mixed mixed = {1, 'x', 2.0, &counter};
__device__ Packed packed = {3, &counter, 4};
__device__ int* pointers[2] = {&counter, nullptr};
__device__ const char* text = "hello";
__device__ double reals[3] = {1.5, -2.0, 1e300};
__constant__ float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};
__managed__ int managed = 3;
extern __shared__ float dynamic[];

extern "C" __global__ void spaces(float* out, int at)
{
    __shared__ float tile[32][33];
    float local[16];
    for (int i = 0; i < 16; ++i) local[i] = out[i];
    tile[threadIdx.x][at] = local[at];
    __syncthreads();
    dynamic[threadIdx.x] = tile[at][threadIdx.x] + table[at] + static_cast<float>(reals[at]);
    out[at] = dynamic[at] + *mixed.pointer + *packed.pointer + *pointers[at] + text[at] + managed + mixed.letter;
}

struct __align__(16) Wide {
    double a, b;
};
extern "C" __global__ void widths(Wide* wide, float4* four, short* half, char* byte, volatile int* flag)
{
    const int i = threadIdx.x;
    wide[i] = wide[i + 32];
    four[i] = __ldg(four + i + 32);
    half[i] = byte[i];
    __stcg(byte + i, static_cast<char>(*flag));
}
