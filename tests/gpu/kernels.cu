// Small kernels for the tests of the GPU device; each shows one property of a launch.

extern "C" __global__ void add_one(const unsigned* from, unsigned* to, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = from[i] + 1;
}

extern "C" __global__ void reverse_block(unsigned* values)
{
    extern __shared__ unsigned turned[];
    turned[blockDim.x - 1 - threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = turned[threadIdx.x];
}

struct Mixed {
    char letter;
    double weight;
    float point[3];
};

extern "C" __global__ void read_mixed(Mixed mixed, short scale, double* result)
{
    *result = mixed.letter + mixed.weight * scale + mixed.point[0] + mixed.point[1] + mixed.point[2];
}

extern "C" __global__ void paint_positions(cudaSurfaceObject_t image, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) surf2Dwrite(make_uchar4(x, y, x ^ y, 255), image, x * 4, y);
}

extern "C" __global__ void sample_row(cudaTextureObject_t texture, float* result, int count, float first, float step)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) result[i] = tex2D<float>(texture, first + step * i, 0.5f);
}

extern "C" __global__ void spin(long long cycles)
{
    const long long start = clock64();
    while (clock64() - start < cycles) {}
}

extern "C" __global__ void store_at(unsigned* address)
{
    *address = 1;
}
