// Growing chunks: a block does all rounds of one chunk before it starts the next. The chunks of block 0 have 4 KiB, those
// of each following block twice as much: the reuse distance, the bytes that pass before a number is used again.
constexpr int share = 128 * 1024; // numbers of a block: 512 KiB

extern "C" __global__ void caches_growing(float* data, int n, int rounds, float keep)
{
    int begin = blockIdx.x * share, end = min(begin + share, n);
    int chunk = 1024 << blockIdx.x % 8; // numbers: 4, 8, 16 … 512 KiB
    for (int first = begin; first < end; first += chunk)
        for (int round = 0; round < rounds; ++round)
            for (int i = first + threadIdx.x; i < min(first + chunk, end); i += blockDim.x)
                data[i] = keep * data[i] + (1 - keep);
}
