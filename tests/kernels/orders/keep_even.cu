// Keeps the even numbers. Atomics give each a place of its own, but in any order.
extern "C" __global__ void keep_even(const int* values, int* kept, int* count)
{
    int value = values[blockIdx.x * blockDim.x + threadIdx.x];
    if (value % 2 == 0) kept[atomicAdd(count, 1)] = value;
}

// A thread's place is the number of even numbers before its own.
extern "C" __global__ void keep_even_in_order(const int* values, int* kept, int* count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int place = 0;
    for (int k = 0; k < i; ++k) place += values[k] % 2 == 0;
    if (values[i] % 2 == 0) {
        kept[place] = values[i];
        atomicMax(count, place + 1);
    }
}
