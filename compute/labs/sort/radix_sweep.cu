// Radix in one sweep: the digits of all passes are counted in one launch, and a pass is one launch, too. A block keeps
// its keys in registers, publishes its digit counts, and adds up those of the blocks before it as soon as they are known.
constexpr int threads = 384;
constexpr int warps = threads / 32;
constexpr int keys_per_thread = 16;
constexpr int tile = threads * keys_per_thread;
constexpr int digits = 256;
constexpr int passes = 4;
constexpr int batch = 8; // keys that a thread loads at once, to count them
constexpr unsigned all_lanes = 0xffffffff;

// Digit counts of all keys, pass by pass.
extern "C" __global__ void sort_sweep_count(const unsigned* keys, unsigned* counts, int count)
{
    __shared__ unsigned mine[passes][digits];
    for (int i = threadIdx.x; i < passes * digits; i += blockDim.x) mine[i / digits][i % digits] = 0;
    __syncthreads();

    int stride = blockDim.x;
    for (int first = blockIdx.x * batch * stride + threadIdx.x; first < count; first += gridDim.x * batch * stride) {
        unsigned loaded[batch]; // before the first atomic, so that the loads wait for memory together
#pragma unroll
        for (int k = 0; k < batch; ++k) loaded[k] = first + k * stride < count ? keys[first + k * stride] : 0;
#pragma unroll
        for (int k = 0; k < batch; ++k)
            if (first + k * stride < count)
                for (int pass = 0; pass < passes; ++pass)
                    atomicAdd(&mine[pass][loaded[k] >> 8 * pass & (digits - 1)], 1);
    }

    __syncthreads();
    for (int i = threadIdx.x; i < passes * digits; i += blockDim.x) atomicAdd(&counts[i], mine[i / digits][i % digits]);
}

// Returns the sum of `own` over all lower digits. Threads past the last digit pass 0.
__device__ unsigned sum_before(unsigned own)
{
    __shared__ unsigned warp_sums[digits / 32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    unsigned sum = own;
    for (int offset = 1; offset < 32; offset *= 2) {
        unsigned other = __shfl_up_sync(all_lanes, sum, offset);
        if (lane >= offset) sum += other;
    }
    if (lane == 31 && warp < digits / 32) warp_sums[warp] = sum;
    __syncthreads();
    for (int w = 0; w < digits / 32; ++w)
        if (w < warp) sum += warp_sums[w];
    return sum - own;
}

// One block per pass: replaces the counts by the position of each digit's first key.
extern "C" __global__ void sort_sweep_starts(unsigned* counts)
{
    unsigned* mine = counts + blockIdx.x * digits;
    mine[threadIdx.x] = sum_before(mine[threadIdx.x]);
}

// A tile's count of one digit, and what it covers, in one word: both are always seen together.
constexpr unsigned own_count = 1u << 30;   // the tile's own keys
constexpr unsigned whole_count = 2u << 30; // those of all tiles up to this one
constexpr unsigned count_bits = own_count - 1;

// The number of keys with this digit in all tiles before `mine`. Four tiles are looked at together; those whose count
// is not there yet are looked at again.
__device__ unsigned count_before(const volatile unsigned* states, int mine, int digit)
{
    constexpr int window = 4;
    unsigned sum = 0;
    for (int at = mine - 1; at >= 0;) {
        unsigned words[window];
#pragma unroll
        for (int k = 0; k < window; ++k) words[k] = at >= k ? states[(at - k) * digits + digit] : whole_count;
#pragma unroll
        for (int k = 0; k < window && words[k] != 0; ++k) {
            sum += words[k] & count_bits;
            if (words[k] & whole_count) return sum;
            --at;
        }
    }
    return sum;
}

// The lanes of this warp whose digit is the same, found bit by bit. __match_any_sync() does it in one instruction, which
// takes longer than eight votes.
__device__ unsigned lanes_with_same(unsigned digit)
{
    unsigned same = all_lanes;
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
        unsigned ones = __ballot_sync(all_lanes, digit >> bit & 1);
        same &= digit >> bit & 1 ? ones : ~ones;
    }
    return same;
}

extern "C" __global__ void __launch_bounds__(threads, 3)
sort_radix_sweep(const unsigned* from, unsigned* to, const unsigned* starts, unsigned* states, unsigned* tickets,
                 int count, int pass)
{
    __shared__ unsigned staged[tile];
    __shared__ unsigned counts[warps][digits]; // per warp: key count; then position of its first key in `staged`
    __shared__ unsigned offsets[digits];       // from positions in `staged` to those in memory
    __shared__ int drawn;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int shift = 8 * pass;

    // Tiles are claimed from a counter, not by block number, so all tiles before this one have been started.
    if (threadIdx.x == 0) drawn = atomicAdd(&tickets[pass], 1);
    for (int i = threadIdx.x; i < warps * digits; i += threads) counts[i / digits][i % digits] = 0;
    __syncthreads();
    int mine = drawn;

    // A warp takes consecutive keys. Places past the end of the input get keys of all ones, which sort last.
    unsigned keys[keys_per_thread];
    int first = mine * tile + warp * 32 * keys_per_thread + lane;
#pragma unroll
    for (int k = 0; k < keys_per_thread; ++k) keys[k] = first + 32 * k < count ? from[first + 32 * k] : ~0u;

    // Rank of each key among the warp's with the same digit.
    unsigned ranks[keys_per_thread];
#pragma unroll
    for (int k = 0; k < keys_per_thread; ++k) {
        unsigned digit = keys[k] >> shift & (digits - 1);
        unsigned same = lanes_with_same(digit);
        unsigned lower = __popc(same & ((1u << lane) - 1));
        unsigned before = counts[warp][digit];
        __syncwarp();
        if (lower == 0) counts[warp][digit] = before + __popc(same);
        __syncwarp();
        ranks[k] = before + lower;
    }
    __syncthreads();

    unsigned total = 0; // keys of the tile whose digit is threadIdx.x
    unsigned* all_states = states + pass * gridDim.x * digits;
    volatile unsigned* state = all_states + mine * digits + threadIdx.x;
    if (threadIdx.x < digits) {
        for (int w = 0; w < warps; ++w) total += counts[w][threadIdx.x];
        *state = (mine == 0 ? whole_count : own_count) | total;
    }
    unsigned start = sum_before(total);
    if (threadIdx.x < digits) {
        unsigned place = start;
        for (int w = 0; w < warps; ++w) {
            unsigned has = counts[w][threadIdx.x];
            counts[w][threadIdx.x] = place;
            place += has;
        }
    }
    __syncthreads();

#pragma unroll
    for (int k = 0; k < keys_per_thread; ++k)
        staged[counts[warp][keys[k] >> shift & (digits - 1)] + ranks[k]] = keys[k];
    if (threadIdx.x < digits) {
        unsigned before = count_before(all_states, mine, threadIdx.x);
        if (mine > 0) *state = whole_count | (before + total);
        offsets[threadIdx.x] = starts[pass * digits + threadIdx.x] + before - start;
    }
    __syncthreads();

    int end = min(tile, count - mine * tile);
    for (int i = threadIdx.x; i < end; i += threads) {
        unsigned key = staged[i];
        to[offsets[key >> shift & (digits - 1)] + i] = key;
    }
}
