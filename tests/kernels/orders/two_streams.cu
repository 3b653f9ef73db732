// Two kernels that a kernel launches: in streams of their own, neither waits for the other.
__global__ void add(int* value, int by) { *value += by; }
__global__ void twice(int* value) { *value *= 2; }

extern "C" __global__ void two_streams(int* value)
{
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    add<<<1, 1, 0, first>>>(value, 5);
    twice<<<1, 1, 0, second>>>(value);
}

extern "C" __global__ void one_stream(int* value)
{
    add<<<1, 1>>>(value, 5);
    twice<<<1, 1>>>(value);
}
