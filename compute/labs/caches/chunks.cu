// Chunks: a block does all rounds of one chunk before it starts the next. If a chunk fits into L1, only its first round
// waits for memory.
constexpr int share = 128 * 1024; // numbers of a block: 512 KiB

extern "C" __global__ void caches_chunks(float* data, int n, int rounds, float keep, int chunk)
{
    int begin = blockIdx.x * share, end = min(begin + share, n);
    for (int first = begin; first < end; first += chunk)
        for (int round = 0; round < rounds; ++round)
            for (int i = first + threadIdx.x; i < min(first + chunk, end); i += blockDim.x)
                data[i] = keep * data[i] + (1 - keep);
}
