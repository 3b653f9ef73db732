// Two devices: copies between them, and kernels that reach across.
#include "programs.h"

__global__ void fill_with(int* values, int n, int value)
{
    const int i = threadIdx.x;
    if (i < n) values[i] = value + i;
}
__global__ void sum_both(const int* own, const int* other, int* sum, int n)
{
    const int i = threadIdx.x;
    if (i < n) sum[i] = own[i] + other[i];
}

PROGRAM(peer_copy)
{
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    if (count < 2) return passed(false);
    int *first, *second;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&first, 64 * sizeof(int)));
    fill_with<<<1, 64>>>(first, 64, 5);
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&second, 64 * sizeof(int)));
    CHECK(cudaSetDevice(0));
    CHECK(cudaMemcpyPeer(second, 1, first, 0, 64 * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(1));
    const auto result = host_copy(second, 64);
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    std::printf("%d %d\n", result[0], result[63]);
    return passed(result[0] == 5 && result[63] == 68);
}

static int reach_across(bool enables)
{
    int *first, *second, *sum;
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&second, 32 * sizeof(int)));
    fill_with<<<1, 32>>>(second, 32, 100);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(0));
    int can = 0;
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (enables && can) CHECK(cudaDeviceEnablePeerAccess(1, 0));
    CHECK(cudaMalloc(&first, 32 * sizeof(int)));
    CHECK(cudaMalloc(&sum, 32 * sizeof(int)));
    fill_with<<<1, 32>>>(first, 32, 1);
    sum_both<<<1, 32>>>(first, second, sum, 32); // peer_access_missing: peer_access
    CHECK(cudaDeviceSynchronize());
    const auto result = host_copy(sum, 32);
    for (int* each : {first, sum}) CHECK(cudaFree(each));
    CHECK(cudaSetDevice(1));
    CHECK(cudaFree(second));
    std::printf("%d\n", result[31]);
    return passed(result[31] == 163);
}

PROGRAM(peer_access)
{
    return reach_across(true);
}
PROGRAM(peer_access_missing)
{
    return reach_across(mended);
}

__global__ void heat_kernel(const float* now, float* next, int rows, int columns)
{
    const int x = threadIdx.x, y = blockIdx.x + 1;
    if (y > rows || x >= columns) return;
    const int i = y * columns + x;
    next[i] = x == 0 || x == columns - 1
                  ? now[i]
                  : now[i] + 0.2f * (now[i - 1] + now[i + 1] + now[i - columns] + now[i + columns] - 4 * now[i]);
}

// Each device has the upper or lower half of a plate, and a copy of the other's edge row.
PROGRAM(peer_halos)
{
    constexpr int columns = 32, rows = 8, bytes = (rows + 2) * columns * sizeof(float);
    float* now[2];
    float* next[2];
    for (int d = 0; d < 2; ++d) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaMalloc(&now[d], bytes));
        CHECK(cudaMalloc(&next[d], bytes));
        CHECK(cudaMemset(now[d], 0, bytes));
        CHECK(cudaMemset(next[d], 0, bytes));
    }
    CHECK(cudaSetDevice(0));
    const std::vector<float> hot(columns, 100.0f);
    CHECK(cudaMemcpy(now[0], hot.data(), columns * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(next[0], hot.data(), columns * sizeof(float), cudaMemcpyHostToDevice));
    for (int step = 0; step < 30; ++step) {
        CHECK(cudaMemcpyPeer(now[1], 1, now[0] + rows * columns, 0, columns * sizeof(float)));
        CHECK(cudaMemcpyPeer(now[0] + (rows + 1) * columns, 0, now[1] + columns, 1, columns * sizeof(float)));
        for (int d = 0; d < 2; ++d) {
            CHECK(cudaSetDevice(d));
            heat_kernel<<<rows, columns>>>(now[d], next[d], rows, columns);
        }
        for (int d = 0; d < 2; ++d) {
            CHECK(cudaSetDevice(d));
            CHECK(cudaDeviceSynchronize());
            std::swap(now[d], next[d]);
        }
    }
    CHECK(cudaSetDevice(1));
    const auto lower = host_copy(now[1], (rows + 2) * columns);
    for (int d = 0; d < 2; ++d) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaFree(now[d]));
        CHECK(cudaFree(next[d]));
    }
    std::printf("%.5f\n", lower[columns + columns / 2]);
    return passed(lower[columns + columns / 2] > 0 && lower[columns + columns / 2] < 50);
}
