// Global memory: the lanes' words are gathered from the sectors that contain them; L1 holds the small table.
constexpr int entries = 64;

extern "C" __global__ void memory_spaces_global(const unsigned char* index, float* to, int count, int lookups,
                                                const float* table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;

    float sum = 0;
    for (int k = 0; k < lookups; ++k) sum += table[(index[i] + k) % entries];
    to[i] = sum / lookups;
}
