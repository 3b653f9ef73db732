// Ordinary kernels whose total traffic was counted on hardware.
extern "C" __global__ void counted_add(float* out, const float* a, const float* b, int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width) out[y * width + x] = a[y * width + x] + b[y * width + x];
}

extern "C" __global__ void counted_stride(float* out, const float* in, int stride)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride % 16384] + 1.0f;
}

extern "C" __global__ void counted_transpose(float* out, const float* in)
{
    __shared__ float tile[32][32];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * 128 + x];
    __syncthreads();
    for (int k = 0; k < 32; k += 8)
        out[(blockIdx.x * 32 + threadIdx.y + k) * 128 + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void counted_padded_transpose(float* out, const float* in)
{
    __shared__ float tile[32][33];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * 128 + x];
    __syncthreads();
    for (int k = 0; k < 32; k += 8)
        out[(blockIdx.x * 32 + threadIdx.y + k) * 128 + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void counted_matrix_product(float* out, const float* a, const float* b)
{
    __shared__ float left[16][16], right[16][16];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 64; k += 16) {
        left[threadIdx.y][threadIdx.x] = a[y * 64 + k + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * 64 + x];
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    out[y * 64 + x] = sum;
}

extern "C" __global__ void counted_gather(float* out, const float* in, const unsigned* index)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[index[i] % 4096];
}
