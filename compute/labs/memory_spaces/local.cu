// A local array: registers can't be indexed at run time, so the compiler puts it into local memory, which is private to the
// thread but off-chip like global memory, and read through the same caches.
constexpr int entries = 64;

extern "C" __global__ void memory_spaces_local(const unsigned char* index, float* to, int count, int lookups,
                                               const float* table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;

    float own[entries];
    for (int j = 0; j < entries; ++j) own[j] = table[j];

    float sum = 0;
    for (int k = 0; k < lookups; ++k) sum += own[(index[i] + k) % entries];
    to[i] = sum / lookups;
}
