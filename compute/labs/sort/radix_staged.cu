// Radix, staged: a block first sorts its keys by digit in shared memory. Keys with the same digit are then neighbours,
// and neighbouring lanes store them at neighbouring addresses.
constexpr int threads = 512;
constexpr int warps = threads / 32;
constexpr int tile = 4096;
constexpr int digits = 256;
constexpr unsigned all_lanes = 0xffffffff;

// One histogram per block, as in radix.cu.
extern "C" __global__ void sort_staged_count(const unsigned* keys, unsigned* counts, int count,
                                             int shift)
{
    __shared__ unsigned mine[digits];
    for (int digit = threadIdx.x; digit < digits; digit += blockDim.x) mine[digit] = 0;
    __syncthreads();

    int end = min((blockIdx.x + 1) * tile, count);
    for (int i = blockIdx.x * tile + threadIdx.x; i < end; i += blockDim.x)
        atomicAdd(&mine[keys[i] >> shift & (digits - 1)], 1);

    __syncthreads();
    for (int digit = threadIdx.x; digit < digits; digit += blockDim.x)
        counts[digit * gridDim.x + blockIdx.x] = mine[digit];
}

// Returns the sum of `own` over all lower digits: the position of this digit's first key.
__device__ unsigned sum_before(unsigned own)
{
    __shared__ unsigned warp_sums[digits / 32];
    int lane = threadIdx.x % 32;
    unsigned sum = own;
    for (int offset = 1; offset < 32; offset *= 2) {
        unsigned other = __shfl_up_sync(all_lanes, sum, offset);
        if (lane >= offset) sum += other;
    }
    if (lane == 31 && threadIdx.x < digits) warp_sums[threadIdx.x / 32] = sum;
    __syncthreads();
    for (int w = 0; w < threadIdx.x / 32 && w < digits / 32; ++w) sum += warp_sums[w];
    return sum - own;
}

extern "C" __global__ void sort_radix_staged(const unsigned* from, unsigned* to, const unsigned* places,
                                             int count, int shift)
{
    __shared__ unsigned staged[tile];
    __shared__ unsigned next[digits];           // position of the digit's next key in `staged`
    __shared__ unsigned starts[warps][digits];  // per warp: key count; then position of its first
    __shared__ unsigned offsets[digits];        // from positions in `staged` to those in memory
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int begin = blockIdx.x * tile;
    int end = min(begin + tile, count);

    if (threadIdx.x < digits) next[threadIdx.x] = 0;
    __syncthreads();
    for (int i = begin + threadIdx.x; i < end; i += threads)
        atomicAdd(&next[from[i] >> shift & (digits - 1)], 1);
    __syncthreads();
    unsigned place = sum_before(threadIdx.x < digits ? next[threadIdx.x] : 0);
    if (threadIdx.x < digits) {
        next[threadIdx.x] = place;
        offsets[threadIdx.x] = places[threadIdx.x * gridDim.x + blockIdx.x] - place;
    }

    for (int first = begin; first < end; first += threads) {
        for (int i = threadIdx.x; i < warps * digits; i += threads) starts[i / digits][i % digits] = 0;
        __syncthreads();

        int i = first + threadIdx.x;
        bool inside = i < end; // lanes past the end have a digit of their own
        unsigned key = inside ? from[i] : 0;
        unsigned digit = inside ? key >> shift & (digits - 1) : digits;
        unsigned same = __match_any_sync(all_lanes, digit);
        int rank = __popc(same & ((1u << lane) - 1)); // among the warp's keys with the same digit
        if (inside && rank == 0) starts[warp][digit] = __popc(same);
        __syncthreads();

        if (threadIdx.x < digits) {
            unsigned here = next[threadIdx.x];
            for (int w = 0; w < warps; ++w) {
                unsigned has = starts[w][threadIdx.x];
                starts[w][threadIdx.x] = here;
                here += has;
            }
            next[threadIdx.x] = here;
        }
        __syncthreads();

        if (inside) staged[starts[warp][digit] + rank] = key;
        __syncthreads();
    }

    for (int i = threadIdx.x; i < end - begin; i += threads) {
        unsigned key = staged[i];
        to[offsets[key >> shift & (digits - 1)] + i] = key;
    }
}
