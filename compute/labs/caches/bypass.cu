// Past L1: __ldcg (ld.global.cg) loads from L2, whatever L1 holds. Only L2 can keep a chunk now.
constexpr int share = 128 * 1024; // numbers of a block: 512 KiB

extern "C" __global__ void caches_bypass(float* data, int n, int rounds, float keep, int chunk)
{
    int begin = blockIdx.x * share, end = min(begin + share, n);
    for (int first = begin; first < end; first += chunk)
        for (int round = 0; round < rounds; ++round)
            for (int i = first + threadIdx.x; i < min(first + chunk, end); i += blockDim.x)
                data[i] = keep * __ldcg(data + i) + (1 - keep);
}
