// Programs dominated by kernel time, large enough to measure, for program_time.py. The host does
// little: it fills the data that it copies and checks a few results.
#include "../programs/programs.h"

#include <cmath>

constexpr int tile_size = 16;
__global__ void multiply_tiles(const float* a, const float* b, float* c, int n)
{
    __shared__ float tile_a[tile_size][tile_size];
    __shared__ float tile_b[tile_size][tile_size];
    const int row = blockIdx.y * tile_size + threadIdx.y;
    const int column = blockIdx.x * tile_size + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n / tile_size; ++t) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + t * tile_size + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(t * tile_size + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < tile_size; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

PROGRAM(matrix_multiply)
{
    const int n = 1024;
    const std::vector<float> a(n * n, 2.0f), b(n * n, 0.5f);
    float* da = device_copy(a);
    float* db = device_copy(b);
    float* dc;
    CHECK(cudaMalloc(&dc, n * n * sizeof(float)));
    multiply_tiles<<<dim3(n / tile_size, n / tile_size), dim3(tile_size, tile_size)>>>(da, db, dc, n);
    const auto c = host_copy(dc, n * n);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return passed(c.front() == n && c.back() == n);
}

__global__ void heat_kernel(const float* now, float* next, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int i = y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        next[i] = now[i];
        return;
    }
    next[i] = now[i] + 0.2f * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width] - 4 * now[i]);
}

PROGRAM(heat)
{
    const int width = 2048, height = 1024, steps = 20;
    std::vector<float> plate(width * height, 0.0f);
    for (int x = 0; x < width; ++x) plate[x] = 100.0f;
    float* now = device_copy(plate);
    float* next;
    CHECK(cudaMalloc(&next, plate.size() * sizeof(float)));
    for (int step = 0; step < steps; ++step) {
        heat_kernel<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(now, next, width, height);
        std::swap(now, next);
    }
    plate = host_copy(now, plate.size());
    cudaFree(now);
    cudaFree(next);
    return passed(plate[width + width / 2] > 20.0f && plate[width + width / 2] < 100.0f);
}

__global__ void attract(const float4* bodies, float4* forces, int n)
{
    __shared__ float4 tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 mine = bodies[i];
    float x = 0, y = 0, z = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < blockDim.x; ++j) {
            const float4 other = tile[j];
            const float dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            const float by = other.w * inverse * inverse * inverse;
            x += dx * by;
            y += dy * by;
            z += dz * by;
        }
        __syncthreads();
    }
    forces[i] = make_float4(x, y, z, 0);
}

PROGRAM(bodies)
{
    const int n = 18432;
    std::vector<float4> places(n);
    unsigned state = 1;
    for (float4& each : places)
        each = make_float4(next_random(state) % 1000 * 0.001f, next_random(state) % 1000 * 0.001f,
                           next_random(state) % 1000 * 0.001f, 1.0f);
    float4* dplaces = device_copy(places);
    float4* dforces;
    CHECK(cudaMalloc(&dforces, n * sizeof(float4)));
    attract<<<n / 256, 256>>>(dplaces, dforces, n);
    const auto forces = host_copy(dforces, n);
    cudaFree(dplaces);
    cudaFree(dforces);
    return passed(std::isfinite(forces[0].x) && forces[0].x != 0);
}

__global__ void mandelbrot_kernel(unsigned char* picture, int width, int height, int most)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    const float cx = -2.2f + 3.0f * px / width, cy = -1.2f + 2.4f * py / height;
    float x = 0, y = 0;
    int i = 0;
    while (i < most && x * x + y * y < 4) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++i;
    }
    picture[py * width + px] = static_cast<unsigned char>(i);
}

PROGRAM(mandelbrot)
{
    const int width = 2048, height = 1024;
    unsigned char* dpicture;
    CHECK(cudaMalloc(&dpicture, width * height));
    mandelbrot_kernel<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(dpicture, width, height, 2500);
    const auto picture = host_copy(dpicture, width * height);
    cudaFree(dpicture);
    return passed(picture[height / 2 * width + width * 7 / 10] == 2500 % 256 && picture[0] < 3);
}

__global__ void sum_kernel(const float* values, float* sums, int n)
{
    __shared__ float part[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += values[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

PROGRAM(reduction)
{
    const int n = 1 << 24, max_blocks = 1024;
    const std::vector<float> values(n, 1.0f);
    float* dvalues = device_copy(values);
    float *dsums, *dsum;
    CHECK(cudaMalloc(&dsums, max_blocks * sizeof(float)));
    CHECK(cudaMalloc(&dsum, sizeof(float)));
    bool right = true;
    for (int blocks = max_blocks / 8; blocks <= max_blocks; blocks *= 2) {
        sum_kernel<<<blocks, 256>>>(dvalues, dsums, n);
        sum_kernel<<<1, 256>>>(dsums, dsum, blocks);
        right = right && host_copy(dsum, 1)[0] == n;
    }
    cudaFree(dvalues);
    cudaFree(dsums);
    cudaFree(dsum);
    return passed(right);
}

__global__ void histogram_kernel(const unsigned char* values, unsigned* bins, int n)
{
    __shared__ unsigned counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&counts[values[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

PROGRAM(histogram)
{
    const int n = 1 << 25;
    std::vector<unsigned char> values(n);
    unsigned state = 7;
    for (unsigned char& each : values) each = static_cast<unsigned char>(next_random(state));
    unsigned char* dvalues = device_copy(values);
    unsigned* dbins;
    CHECK(cudaMalloc(&dbins, 256 * sizeof(unsigned)));
    CHECK(cudaMemset(dbins, 0, 256 * sizeof(unsigned)));
    histogram_kernel<<<256, 256>>>(dvalues, dbins, n);
    const auto bins = host_copy(dbins, 256);
    unsigned sum = 0;
    for (unsigned bin : bins) sum += bin;
    cudaFree(dvalues);
    cudaFree(dbins);
    return passed(sum == n);
}

__global__ void transpose_kernel(const int* from, int* to, int size)
{
    __shared__ int tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = from[(y + j) * size + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) to[(y + j) * size + x] = tile[threadIdx.x][threadIdx.y + j];
}

PROGRAM(transpose)
{
    const int size = 4096;
    std::vector<int> from(size * size);
    for (int i = 0; i < size * size; ++i) from[i] = i;
    int* dfrom = device_copy(from);
    int* dto;
    CHECK(cudaMalloc(&dto, from.size() * sizeof(int)));
    transpose_kernel<<<dim3(size / 32, size / 32), dim3(32, 8)>>>(dfrom, dto, size);
    const auto to = host_copy(dto, from.size());
    cudaFree(dfrom);
    cudaFree(dto);
    return passed(to[1] == size && to[size] == 1);
}

__global__ void exchange(unsigned* values, unsigned distance, unsigned length)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned other = i ^ distance;
    if (other <= i) return;
    const unsigned a = values[i], b = values[other];
    if (((i & length) == 0) == (a > b)) {
        values[i] = b;
        values[other] = a;
    }
}

PROGRAM(bitonic_sort)
{
    const unsigned n = 1 << 18;
    std::vector<unsigned> values(n);
    unsigned state = 3;
    for (unsigned& each : values) each = next_random(state);
    unsigned* dvalues = device_copy(values);
    for (unsigned length = 2; length <= n; length *= 2)
        for (unsigned distance = length / 2; distance > 0; distance /= 2)
            exchange<<<n / 256, 256>>>(dvalues, distance, length);
    values = host_copy(dvalues, n);
    cudaFree(dvalues);
    bool right = true;
    for (unsigned i = 1; i < n; ++i) right = right && values[i - 1] <= values[i];
    return passed(right);
}

// Overhead of a launch. The results are not checked, since the kernels do nothing.
__global__ void nothing() {}

__global__ void add_one(int* values)
{
    ++values[threadIdx.x];
}

PROGRAM(no_launches)
{
    CHECK(cudaFree(nullptr));
    return passed(true);
}

PROGRAM(one_launch)
{
    nothing<<<1, 32>>>();
    CHECK(cudaDeviceSynchronize());
    return passed(true);
}

PROGRAM(empty_launches)
{
    for (int i = 0; i < 100'000; ++i) nothing<<<1, 32>>>();
    CHECK(cudaDeviceSynchronize());
    return passed(true);
}

PROGRAM(tiny_launches)
{
    int* values;
    CHECK(cudaMalloc(&values, 256 * sizeof(int)));
    CHECK(cudaMemset(values, 0, 256 * sizeof(int)));
    for (int i = 0; i < 100'000; ++i) add_one<<<1, 256>>>(values);
    const auto sums = host_copy(values, 256);
    cudaFree(values);
    return passed(sums[255] == 100'000);
}

// The same with separate memory for each launch.
PROGRAM(launches_with_memory)
{
    for (int i = 0; i < 100'000; ++i) {
        int* values;
        CHECK(cudaMalloc(&values, 256 * sizeof(int)));
        CHECK(cudaMemset(values, 0, 256 * sizeof(int)));
        add_one<<<1, 256>>>(values);
        CHECK(cudaFree(values));
    }
    return passed(true);
}

// The same with many other allocations.
PROGRAM(launches_beside_memory)
{
    std::vector<int*> all(10'000);
    for (int*& each : all) CHECK(cudaMalloc(&each, 256 * sizeof(int)));
    CHECK(cudaMemset(all[5000], 0, 256 * sizeof(int)));
    for (int i = 0; i < 100'000; ++i) add_one<<<1, 256>>>(all[5000]);
    CHECK(cudaDeviceSynchronize());
    for (int* each : all) cudaFree(each);
    return passed(true);
}
