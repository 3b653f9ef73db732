// Kernels that launch kernels: order, tails, recursion.
#include "programs.h"

__global__ void child_prints(int depth, int value)
{
    printf("depth %d value %d\n", depth, value);
}
__global__ void tail_prints()
{
    printf("tail\n");
}
__global__ void parent_prints()
{
    printf("parent\n"); // before a child that may print at once
    child_prints<<<1, 1>>>(1, 10);
    child_prints<<<1, 1>>>(1, 11);
    tail_prints<<<1, 1, 0, cudaStreamTailLaunch>>>();
}

PROGRAM(launch_order)
{
    parent_prints<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    return 0;
}

__global__ void quicksort(int* values, int left, int right)
{
    int i = left, j = right;
    const int pivot = values[(left + right) / 2];
    while (i <= j) {
        while (values[i] < pivot) ++i;
        while (values[j] > pivot) --j;
        if (i <= j) {
            const int kept = values[i];
            values[i++] = values[j];
            values[j--] = kept;
        }
    }
    cudaStream_t stream;
    if (left < j) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, stream>>>(values, left, j);
        cudaStreamDestroy(stream);
    }
    if (i < right) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, stream>>>(values, i, right);
        cudaStreamDestroy(stream);
    }
}

PROGRAM(launch_quicksort)
{
    std::vector<int> values(64);
    unsigned state = 5;
    for (int& value : values) value = static_cast<int>(next_random(state) % 500);
    int* device = device_copy(values);
    quicksort<<<1, 1>>>(device, 0, 63);
    CHECK(cudaDeviceSynchronize());
    const auto sorted = host_copy(device, 64);
    bool right = true;
    for (int i = 1; i < 64; ++i) right = right && sorted[i - 1] <= sorted[i];
    CHECK(cudaFree(device));
    std::printf("%d %d\n", sorted[0], sorted[63]);
    return passed(right);
}

__global__ void count_leaves(int* leaves, int depth)
{
    if (depth == 0) {
        atomicAdd(leaves, 1);
        return;
    }
    count_leaves<<<1, 2>>>(leaves, depth - 1);
}

PROGRAM(launch_tree)
{
    int* leaves = device_copy(std::vector<int>{0});
    count_leaves<<<1, 1>>>(leaves, 5);
    CHECK(cudaDeviceSynchronize());
    const int count = host_copy(leaves, 1)[0];
    CHECK(cudaFree(leaves));
    std::printf("%d\n", count);
    return passed(count == 32);
}

__global__ void launch_wrong(int* errors)
{
    child_prints<<<1, 2048>>>(0, 0);
    errors[0] = cudaGetLastError();
    child_prints<<<1, 1, 0, cudaStreamFireAndForget>>>(1, 1);
    errors[1] = cudaGetLastError();
}

PROGRAM(launch_errors)
{
    int* errors;
    CHECK(cudaMalloc(&errors, 2 * sizeof(int)));
    launch_wrong<<<1, 1>>>(errors);
    CHECK(cudaDeviceSynchronize());
    const auto is = host_copy(errors, 2);
    CHECK(cudaFree(errors));
    std::printf("%d %d\n", is[0], is[1]);
    return 0;
}
