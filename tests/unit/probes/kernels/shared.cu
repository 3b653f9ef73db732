// Shared memory: strides, access widths whose lane groups do or do not merge, tiles read by column, atomics.
#define KERNEL extern "C" __global__ void

__device__ int here() { return (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y * blockDim.z +
                               (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__device__ int rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

KERNEL bank_strides(int* out, const int* in, int n)
{
    __shared__ int words[2048];
    const int t = rank();
    for (int j = t; j < 2048; j += 160) words[j] = in[j % n];
    __syncthreads();
    out[here() % n] = words[t] + words[t * 2 % 2048] + words[t * 3 % 2048] + words[t * 32 % 2048] + words[t / 2] +
                      words[in[t] * 33 % 2048] + words[5];
}

KERNEL columns(int* out, const int* in, int n)
{
    __shared__ int tile[32][32];
    __shared__ int padded[32][33];
    const int t = rank();
    tile[t % 32][t / 32 % 32] = in[t % n];
    padded[t % 32][t / 32 % 32] = in[t % n];
    __syncthreads();
    out[here() % n] = tile[t / 32 % 32][t % 32] + padded[t / 32 % 32][t % 32];
}

KERNEL wide_words(int* out, const int* in, int n)
{
    __shared__ double2 wide[256];
    const int t = rank();
    double* doubles = reinterpret_cast<double*>(wide);
    for (int j = t; j < 512; j += 160) doubles[j] = in[j % n];
    __syncthreads();
    double sum = doubles[t] + doubles[t / 2] + doubles[t & 15] + doubles[in[t] % 512] + doubles[t * 4 % 512];
    const double2 a = wide[t % 256], b = wide[t / 2], c = wide[0], d = wide[in[t % n] % 256];
    sum += a.x + b.y + c.x + d.y;
    if (in[t % n] % 3 != 0) sum += wide[t / 4].x * doubles[t ^ 2] * wide[t ^ 1].y;
    __syncthreads();
    if (t < 150) wide[t] = {sum, sum};
    doubles[t * 3 % 512] = sum;
    __syncthreads();
    out[here() % n] = static_cast<int>(sum);
}

KERNEL narrow(int* out, const int* in, int n)
{
    __shared__ unsigned char bytes[1024];
    __shared__ short shorts[1024];
    const int t = rank();
    bytes[t] = static_cast<unsigned char>(in[t % n]);
    bytes[512 + t * 3 % 512] = 3;
    shorts[t * 2 % 1024] = 4;
    shorts[t + 400] = 1;
    __syncthreads();
    out[here() % n] = bytes[t * 4 % 1024] + shorts[t] + bytes[t / 8];
}

KERNEL shared_histogram(int* out, const int* in, int n)
{
    __shared__ int counts[64];
    __shared__ int largest[16];
    __shared__ unsigned long long sums[64];
    const int t = rank();
    if (t < 64) counts[t] = 0, sums[t] = 0, largest[t % 16] = 0;
    __syncthreads();
    atomicAdd(counts + in[here() % n] % 64, 1);
    atomicAdd(counts + t * 32 % 64, 1);
    atomicAdd(sums + in[here() % n] % 40, 2ull);
    if (t % 3 == 0) atomicMax(largest + t % 16, t);
    __syncthreads();
    if (t < 64) atomicAdd(out + t, counts[t] + static_cast<int>(sums[t]) + largest[t % 16]);
}
