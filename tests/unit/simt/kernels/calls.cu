// Device functions: recursion, pointers to functions, structures by value, local arrays, printf and assert.
#include <cassert>
#include <cstdio>

__device__ int counter[4] = {1, 2, 3, 4};
__constant__ float factors[4] = {0.5f, 2.0f, 4.0f, 8.0f};
__device__ int* first = counter;

struct Mixed {
    int a;
    double b;
    char c[3];
};

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int add_one(int x) { return x + 1; }
__device__ __noinline__ int times_two(int x) { return x * 2; }
__device__ __noinline__ int square(int x) { return x * x; }
using Unary = int (*)(int);
__device__ Unary functions[3] = {add_one, times_two, square};
__device__ __noinline__ float mix(Mixed s, float x) { return s.a + s.b * x + s.c[1]; }

extern "C" __global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 11); }

extern "C" __global__ void endless_recursion(int* out)
{
    out[threadIdx.x] = fibonacci(out[threadIdx.x] + 100000000);
}

extern "C" __global__ void pointers(const int* in, int* out)
{
    int i = threadIdx.x;
    out[i] = functions[in[i] % 3](in[i]);
}

extern "C" __global__ void some_call(const int* in, int* out)
{
    int i = threadIdx.x;
    int v = in[i];
    if (v % 2) v = square(v);
    out[i] = v;
}

extern "C" __global__ void by_value(Mixed s, float* out)
{
    s.a += threadIdx.x;
    out[threadIdx.x] = mix(s, factors[threadIdx.x & 3]) + counter[threadIdx.x & 3] + *first;
}

extern "C" __global__ void local_array(const int* in, int* out)
{
    int values[16];
    for (int i = 0; i < 16; ++i) values[i] = in[i] * threadIdx.x;
    int* p = values + in[threadIdx.x] % 16;
    *p += 1000;
    out[threadIdx.x] = values[in[threadIdx.x] % 16] + values[3];
}

extern "C" __global__ void speak(int n)
{
    if (threadIdx.x < n) printf("thread %d says %5.2f and %s %c %llu %x%%\n", threadIdx.x, threadIdx.x * 0.5, "words", 'c',
                                1ull << 40, 255);
}

extern "C" __global__ void insist(const int* in) { assert(in[threadIdx.x] < 30); }

extern "C" __global__ void give_up(int n)
{
    if (threadIdx.x == n) __trap();
}
