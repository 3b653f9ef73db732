// Aggregated: lanes that hold the same bin find each other first (match_any), and one of them adds for all.
// One value in all samples costs one addition per warp; but the search costs even when all differ.
constexpr int max_bins = 4096;
constexpr unsigned all_lanes = 0xffffffff;

template <class Sample>
__device__ void count(const Sample* samples, int n, unsigned* counts, int bins, int shift)
{
    __shared__ unsigned mine[max_bins];
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) mine[bin] = 0;
    __syncthreads();

    int lane = threadIdx.x % 32;
    int threads = gridDim.x * blockDim.x;
    // The loop runs by warps: its lanes stay together until the last of them has no sample left.
    for (int first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < n; first += threads) {
        bool counts_one = first + lane < n;
        unsigned counting = __ballot_sync(all_lanes, counts_one);
        if (counts_one) {
            unsigned bin = samples[first + lane] >> shift;
            unsigned same = __match_any_sync(counting, bin);
            bool speaks = lane == __ffs(same) - 1;
            if (speaks) atomicAdd(&mine[bin], __popc(same));
        }
    }

    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) atomicAdd(&counts[bin], mine[bin]);
}

extern "C" __global__ void histogram_aggregated(const unsigned char* samples, int n, unsigned* counts, int bins, int shift)
{
    count(samples, n, counts, bins, shift);
}

extern "C" __global__ void histogram_aggregated_wide(const unsigned* samples, int n, unsigned* counts, int bins, int shift)
{
    count(samples, n, counts, bins, shift);
}
