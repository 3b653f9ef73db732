// Radix: sorts by one digit after the other, the lowest first. A pass counts each tile's keys per digit, turns counts
// into positions, and moves each key there. Keys with the same digit keep their order.
constexpr int threads = 512;
constexpr int warps = threads / 32;
constexpr int tile = 4096;
constexpr unsigned all_lanes = 0xffffffff;

// One histogram per block, in shared memory. A digit's counts are stored block after block.
extern "C" __global__ void sort_radix_count(const unsigned* keys, unsigned* counts, int count,
                                            int shift, int digits)
{
    __shared__ unsigned mine[256];
    for (int digit = threadIdx.x; digit < digits; digit += blockDim.x) mine[digit] = 0;
    __syncthreads();

    int end = min((blockIdx.x + 1) * tile, count);
    for (int i = blockIdx.x * tile + threadIdx.x; i < end; i += blockDim.x)
        atomicAdd(&mine[keys[i] >> shift & (digits - 1)], 1);

    __syncthreads();
    for (int digit = threadIdx.x; digit < digits; digit += blockDim.x)
        counts[digit * gridDim.x + blockIdx.x] = mine[digit];
}

// Replaces each count by the sum of all before it. One block, in steps of its own size.
extern "C" __global__ void sort_radix_places(unsigned* counts, int count)
{
    __shared__ unsigned warp_sums[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    unsigned before = 0; // sum of all earlier steps

    for (int first = 0; first < count; first += blockDim.x) {
        int i = first + threadIdx.x;
        unsigned own = i < count ? counts[i] : 0;
        unsigned sum = own;
        for (int offset = 1; offset < 32; offset *= 2) {
            unsigned other = __shfl_up_sync(all_lanes, sum, offset);
            if (lane >= offset) sum += other;
        }
        if (lane == 31) warp_sums[warp] = sum;
        __syncthreads();

        unsigned total = 0; // of this step
        unsigned earlier = 0;
        for (int w = 0; w < blockDim.x / 32; ++w) {
            if (w < warp) earlier += warp_sums[w];
            total += warp_sums[w];
        }
        if (i < count) counts[i] = before + earlier + sum - own;
        before += total;
        __syncthreads();
    }
}

// Lanes with different digits write to distant addresses.
template <int digits>
__device__ void scatter(const unsigned* from, unsigned* to, const unsigned* places, int count, int shift)
{
    __shared__ unsigned next[digits];         // position of the next key with this digit
    __shared__ unsigned starts[warps][digits]; // per warp: key count; then position of its first
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    for (int digit = threadIdx.x; digit < digits; digit += threads)
        next[digit] = places[digit * gridDim.x + blockIdx.x];

    int end = min((blockIdx.x + 1) * tile, count);
    for (int first = blockIdx.x * tile; first < end; first += threads) {
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
            unsigned place = next[threadIdx.x];
            for (int w = 0; w < warps; ++w) {
                unsigned has = starts[w][threadIdx.x];
                starts[w][threadIdx.x] = place;
                place += has;
            }
            next[threadIdx.x] = place;
        }
        __syncthreads();

        if (inside) to[starts[warp][digit] + rank] = key;
        __syncthreads();
    }
}

extern "C" __global__ void sort_radix_16(const unsigned* from, unsigned* to, const unsigned* places,
                                         int count, int shift)
{
    scatter<16>(from, to, places, count, shift);
}

extern "C" __global__ void sort_radix_256(const unsigned* from, unsigned* to, const unsigned* places,
                                          int count, int shift)
{
    scatter<256>(from, to, places, count, shift);
}
