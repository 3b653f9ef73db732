// First programs of courses: each computes something and compares it with the host's result.
#include "programs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

__global__ void vector_add_kernel(const float* a, const float* b, float* c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

PROGRAM(vector_add)
{
    const int n = 5000;
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; ++i) {
        a[i] = 0.5f * i;
        b[i] = 2.0f * (n - i);
    }
    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, n * sizeof(float)));
    CHECK(cudaMalloc(&db, n * sizeof(float)));
    CHECK(cudaMalloc(&dc, n * sizeof(float)));
    CHECK(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    vector_add_kernel<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<float> c(n);
    CHECK(cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < n; ++i) right = right && c[i] == a[i] + b[i];
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    std::printf("%.1f %.1f\n", c[0], c[n - 1]);
    return passed(right);
}

__global__ void saxpy_kernel(int n, float a, const float* x, float* y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = a * x[i] + y[i];
}

PROGRAM(saxpy)
{
    const int n = 1 << 14;
    std::vector<float> x(n, 1.0f), y(n, 2.0f);
    float* dx = device_copy(x);
    float* dy = device_copy(y);
    saxpy_kernel<<<32, 128>>>(n, 2.0f, dx, dy);
    y = host_copy(dy, n);
    float worst = 0;
    for (float value : y) worst = std::max(worst, std::fabs(value - 4.0f));
    std::printf("Max error: %f\n", worst);
    cudaFree(dx);
    cudaFree(dy);
    return passed(worst == 0);
}

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
    const int n = 64;
    std::vector<float> a(n * n), b(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = static_cast<float>(i % 7);
        b[i] = static_cast<float>(i % 5);
    }
    float* da = device_copy(a);
    float* db = device_copy(b);
    float* dc;
    CHECK(cudaMalloc(&dc, n * n * sizeof(float)));
    multiply_tiles<<<dim3(n / tile_size, n / tile_size), dim3(tile_size, tile_size)>>>(da, db, dc, n);
    const auto c = host_copy(dc, n * n);
    bool right = true;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
            right = right && sum == c[i * n + j];
        }
    std::printf("%.0f %.0f\n", c[0], c[n * n - 1]);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return passed(right);
}

__global__ void transpose_kernel(const int* from, int* to, int width, int height)
{
    __shared__ int tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = from[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width) to[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

PROGRAM(transpose)
{
    const int width = 100, height = 70;
    std::vector<int> from(width * height);
    std::iota(from.begin(), from.end(), 0);
    int* dfrom = device_copy(from);
    int* dto;
    CHECK(cudaMalloc(&dto, from.size() * sizeof(int)));
    transpose_kernel<<<dim3((width + 31) / 32, (height + 31) / 32), dim3(32, 8)>>>(dfrom, dto, width, height);
    const auto to = host_copy(dto, from.size());
    bool right = true;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) right = right && to[x * height + y] == from[y * width + x];
    cudaFree(dfrom);
    cudaFree(dto);
    return passed(right);
}

__global__ void reduce_kernel(const int* from, int* to, int n)
{
    extern __shared__ int partial[];
    const int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    partial[threadIdx.x] = (i < n ? from[i] : 0) + (i + blockDim.x < n ? from[i + blockDim.x] : 0);
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) to[blockIdx.x] = partial[0];
}

PROGRAM(reduction)
{
    const int n = 10000, threads = 128, blocks = (n + 2 * threads - 1) / (2 * threads);
    std::vector<int> values(n);
    unsigned state = 1;
    for (int& value : values) value = static_cast<int>(next_random(state) % 100);
    int* from = device_copy(values);
    int* to;
    CHECK(cudaMalloc(&to, blocks * sizeof(int)));
    reduce_kernel<<<blocks, threads, threads * sizeof(int)>>>(from, to, n);
    const auto sums = host_copy(to, blocks);
    const int sum = std::accumulate(sums.begin(), sums.end(), 0);
    std::printf("%d\n", sum);
    cudaFree(from);
    cudaFree(to);
    return passed(sum == std::accumulate(values.begin(), values.end(), 0));
}

__global__ void reduce_shuffle(const int* from, int* to, int n)
{
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += from[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(to, sum);
}

PROGRAM(reduction_shuffle)
{
    const int n = 4097;
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), 1);
    int* from = device_copy(values);
    int* to;
    CHECK(cudaMalloc(&to, sizeof(int)));
    CHECK(cudaMemset(to, 0, sizeof(int)));
    reduce_shuffle<<<4, 256>>>(from, to, n);
    const int sum = host_copy(to, 1)[0];
    std::printf("%d\n", sum);
    cudaFree(from);
    cudaFree(to);
    return passed(sum == n * (n + 1) / 2);
}

__global__ void scan_kernel(int* values, int n)
{
    __shared__ int buffer[2][256];
    int from = 0;
    buffer[0][threadIdx.x] = threadIdx.x < n ? values[threadIdx.x] : 0;
    __syncthreads();
    for (int offset = 1; offset < 256; offset *= 2) {
        const int to = 1 - from;
        buffer[to][threadIdx.x] =
            buffer[from][threadIdx.x] + (threadIdx.x >= offset ? buffer[from][threadIdx.x - offset] : 0);
        from = to;
        __syncthreads();
    }
    if (threadIdx.x < n) values[threadIdx.x] = buffer[from][threadIdx.x];
}

PROGRAM(scan)
{
    const int n = 200;
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i) values[i] = i % 9;
    int* device = device_copy(values);
    scan_kernel<<<1, 256>>>(device, n);
    const auto sums = host_copy(device, n);
    std::partial_sum(values.begin(), values.end(), values.begin());
    std::printf("%d\n", sums[n - 1]);
    cudaFree(device);
    return passed(sums == values);
}

__global__ void histogram_kernel(const unsigned char* bytes, unsigned* bins, int n)
{
    __shared__ unsigned local[64];
    for (int i = threadIdx.x; i < 64; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&local[bytes[i] / 4], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

PROGRAM(histogram)
{
    const int n = 20000;
    std::vector<unsigned char> bytes(n);
    unsigned state = 7;
    std::vector<unsigned> wanted(64);
    for (auto& byte : bytes) {
        byte = static_cast<unsigned char>(next_random(state));
        ++wanted[byte / 4];
    }
    unsigned char* device = device_copy(bytes);
    unsigned* bins;
    CHECK(cudaMalloc(&bins, 64 * sizeof(unsigned)));
    CHECK(cudaMemset(bins, 0, 64 * sizeof(unsigned)));
    histogram_kernel<<<8, 128>>>(device, bins, n);
    const auto counted = host_copy(bins, 64);
    std::printf("%u %u\n", counted[0], counted[63]);
    cudaFree(device);
    cudaFree(bins);
    return passed(counted == wanted);
}

__global__ void stencil_kernel(const int* from, int* to, int n)
{
    constexpr int radius = 3;
    __shared__ int tile[128 + 2 * radius];
    const int global = blockIdx.x * blockDim.x + threadIdx.x;
    const int local = threadIdx.x + radius;
    tile[local] = global < n ? from[global] : 0;
    if (threadIdx.x < radius) {
        tile[local - radius] = global >= radius ? from[global - radius] : 0;
        tile[local + 128] = global + 128 < n ? from[global + 128] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int offset = -radius; offset <= radius; ++offset) sum += tile[local + offset];
    if (global < n) to[global] = sum;
}

PROGRAM(stencil)
{
    const int n = 1000;
    std::vector<int> from(n);
    for (int i = 0; i < n; ++i) from[i] = i % 13;
    int* dfrom = device_copy(from);
    int* dto;
    CHECK(cudaMalloc(&dto, n * sizeof(int)));
    stencil_kernel<<<(n + 127) / 128, 128>>>(dfrom, dto, n);
    const auto to = host_copy(dto, n);
    bool right = true;
    for (int i = 0; i < n; ++i) {
        int sum = 0;
        for (int j = std::max(0, i - 3); j <= std::min(n - 1, i + 3); ++j) sum += from[j];
        right = right && sum == to[i];
    }
    cudaFree(dfrom);
    cudaFree(dto);
    return passed(right);
}

__global__ void jacobi_kernel(const float* now, float* next, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    const int i = y * n + x;
    next[i] = x == 0 || y == 0 || x == n - 1 || y == n - 1
                  ? now[i]
                  : 0.25f * (now[i - 1] + now[i + 1] + now[i - n] + now[i + n]);
}

PROGRAM(jacobi)
{
    const int n = 48;
    std::vector<float> plate(n * n, 0.0f);
    for (int x = 0; x < n; ++x) plate[x] = 100.0f;
    float* now = device_copy(plate);
    float* next = device_copy(plate);
    for (int step = 0; step < 20; ++step) {
        jacobi_kernel<<<dim3(3, 6), dim3(16, 8)>>>(now, next, n);
        std::swap(now, next);
    }
    const auto result = host_copy(now, n * n);
    auto other = plate;
    for (int step = 0; step < 20; ++step) {
        for (int y = 1; y < n - 1; ++y)
            for (int x = 1; x < n - 1; ++x) {
                const int i = y * n + x;
                other[i] = 0.25f * (plate[i - 1] + plate[i + 1] + plate[i - n] + plate[i + n]);
            }
        std::swap(plate, other);
    }
    std::printf("%.6f\n", result[n + n / 2]);
    cudaFree(now);
    cudaFree(next);
    return passed(result == plate);
}

__global__ void mandelbrot_kernel(int* counts, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float cr = -2.0f + 3.0f * x / width, ci = -1.0f + 2.0f * y / height;
    float zr = 0, zi = 0;
    int count = 0;
    while (count < 64 && __fmul_rn(zr, zr) + __fmul_rn(zi, zi) < 4.0f) {
        const float next = __fadd_rn(__fsub_rn(__fmul_rn(zr, zr), __fmul_rn(zi, zi)), cr);
        zi = __fadd_rn(__fmul_rn(2.0f, __fmul_rn(zr, zi)), ci);
        zr = next;
        ++count;
    }
    counts[y * width + x] = count;
}

PROGRAM(mandelbrot)
{
    const int width = 60, height = 40;
    int* device;
    CHECK(cudaMalloc(&device, width * height * sizeof(int)));
    mandelbrot_kernel<<<dim3(4, 5), dim3(16, 8)>>>(device, width, height);
    const auto counts = host_copy(device, width * height);
    const int sum = std::accumulate(counts.begin(), counts.end(), 0);
    std::printf("%d\n", sum);
    cudaFree(device);
    return passed(*std::max_element(counts.begin(), counts.end()) == 64);
}

__global__ void bitonic_step(int* values, int j, int k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int other = i ^ j;
    if (other <= i) return;
    const bool ascending = (i & k) == 0;
    if ((values[i] > values[other]) == ascending) {
        const int kept = values[i];
        values[i] = values[other];
        values[other] = kept;
    }
}

PROGRAM(bitonic_sort)
{
    const int n = 512;
    std::vector<int> values(n);
    unsigned state = 3;
    for (int& value : values) value = static_cast<int>(next_random(state) % 1000);
    int* device = device_copy(values);
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) bitonic_step<<<n / 128, 128>>>(device, j, k);
    const auto sorted = host_copy(device, n);
    std::sort(values.begin(), values.end());
    std::printf("%d %d\n", sorted[0], sorted[n - 1]);
    cudaFree(device);
    return passed(sorted == values);
}

__global__ void dot_kernel(const double* a, const double* b, double* sums, int n)
{
    __shared__ double cache[64];
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += a[i] * b[i];
    cache[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) cache[threadIdx.x] += cache[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = cache[0];
}

PROGRAM(dot_product)
{
    const int n = 3000;
    std::vector<double> a(n), b(n);
    for (int i = 0; i < n; ++i) {
        a[i] = i;
        b[i] = 2;
    }
    double* da = device_copy(a);
    double* db = device_copy(b);
    double* sums;
    CHECK(cudaMalloc(&sums, 8 * sizeof(double)));
    dot_kernel<<<8, 64>>>(da, db, sums, n);
    double sum = 0;
    for (double part : host_copy(sums, 8)) sum += part;
    std::printf("%.1f\n", sum);
    cudaFree(da);
    cudaFree(db);
    cudaFree(sums);
    return passed(sum == static_cast<double>(n) * (n - 1));
}

__global__ void queens_kernel(const int* rows, int* solutions, int n)
{
    // Each thread places the first two queens and counts the rest.
    const int first = threadIdx.x / n, second = threadIdx.x % n;
    if (first >= n || rows[0] != n || first == second || abs(first - second) == 1) return;
    int columns[10] = {first, second};
    int row = 2, count = 0;
    columns[2] = -1;
    while (row >= 2) {
        int column = columns[row] + 1;
        for (; column < n; ++column) {
            bool free = true;
            for (int i = 0; i < row; ++i)
                if (columns[i] == column || abs(columns[i] - column) == row - i) free = false;
            if (free) break;
        }
        columns[row] = column;
        if (column == n) {
            --row;
        } else if (row == n - 1) {
            ++count;
        } else {
            columns[++row] = -1;
        }
    }
    atomicAdd(solutions, count);
}

PROGRAM(queens)
{
    int* rows = device_copy(std::vector<int>{7});
    int* solutions = device_copy(std::vector<int>{0});
    queens_kernel<<<1, 64>>>(rows, solutions, 7);
    const int count = host_copy(solutions, 1)[0];
    std::printf("%d\n", count);
    cudaFree(rows);
    cudaFree(solutions);
    return passed(count == 40);
}
