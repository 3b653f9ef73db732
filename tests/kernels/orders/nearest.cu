// The smallest value and its index. Another thread may store between the comparison and the stores.
extern "C" __global__ void nearest(const int* values, volatile int* best, volatile int* index)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (values[i] < *best) {
        *best = values[i];
        *index = i;
    }
}

// Value and index are in one word, so that one atomic compares and stores both.
extern "C" __global__ void nearest_packed(const int* values, unsigned long long* best)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMin(best, static_cast<unsigned long long>(values[i]) << 32 | i);
}
