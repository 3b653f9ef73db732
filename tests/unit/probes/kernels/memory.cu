// Global memory: widths, strides, gathers, guards, atomics with and without collisions, and generic pointers.
#define KERNEL extern "C" __global__ void

__device__ int here() { return (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y * blockDim.z +
                               (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

KERNEL unit_stride(int* out, const int* in, int n)
{
    const int i = here();
    if (i < n / 8) out[i] = in[i];
}

KERNEL offsets(int* out, const int* in, int n)
{
    const int i = here();
    if (i + 9 < n) out[i + 5] = in[i + 1] + in[i + 4] + in[i + 9];
}

KERNEL strides(int* out, const int* in, int n)
{
    const int i = here();
    out[i * 2 % n] = in[i * 8 % n] + in[i * 32 % n] + in[i / 2] + in[0] + in[n - 1 - i % n];
}

KERNEL gather(int* out, const int* in, int n) { out[here() % n] = in[(in[here() % n] * 977) % n]; }

KERNEL bytes_and_shorts(char* out, const short* in, int n)
{
    const int i = here() % n;
    out[i] = static_cast<char>(in[i]);
    out[n + i * 3] = static_cast<char>(in[i * 2]);
}

KERNEL wide_types(double2* out, const float4* in, int n)
{
    const int i = here() % (n / 4);
    const float4 value = in[i];
    out[i] = {value.x + value.y, value.z};
    reinterpret_cast<double*>(out)[n + i * 2] = value.w;
    reinterpret_cast<float2*>(out)[6500 + (i ^ 3)] = reinterpret_cast<const float2*>(in)[i / 2];
}

KERNEL collisions(int* out, const int* in, int n)
{
    const int i = here();
    atomicAdd(out + i % 8, 1);
    atomicMax(out + 2000 + i / 4, in[i % n]);
    if (in[i % n] % 3 == 0 && atomicAdd(out + 16 + in[i % n] % 5, 2) < 0) out[n + i] = 1;
    atomicAdd(reinterpret_cast<unsigned long long*>(out) + 100 + i % 16, 3ull);
    atomicCAS(out + 300 + i % 40, 0, 5);
}

KERNEL reached_space(int* out, const int* in, int n)
{
    __shared__ int tile[1024];
    const int i = here();
    const int t = i % (blockDim.x * blockDim.y * blockDim.z);
    tile[t] = i;
    __syncthreads();
    int* place = in[i % n] % 2 == 0 ? out + i % n : tile + t;
    *place += 3;
    __syncthreads();
    if (i < n) out[i] += tile[t];
}

KERNEL local_array(int* out, const int* in, int n)
{
    int values[24];
    for (int j = 0; j < 24; ++j) values[j] = in[(here() + j) % n];
    int* place = in[here() % n] % 2 == 0 ? values : out;
    place[in[here() % n] % 24] = 5;
    out[n - 1 - here() % (n / 2)] = values[in[here() % n] % 24];
}
