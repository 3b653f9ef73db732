// Per lane: each bin has one copy per lane, and the copies are adjacent: lane 5 always counts in bank 5.
// Lanes never conflict, whatever the data. With more than 256 bins, lanes share the copies that fit.
constexpr int words = 8192;
constexpr int ahead = 2; // vectors that a thread loads before it counts the first

// `mine` points to this lane's copy of bin 0; `stride` is the distance in bytes between adjacent sample
// values. `keep` masks the bits of a byte that select its bin: masking saves the shift.
__device__ void add_samples(char* mine, unsigned word, unsigned keep, unsigned stride, const unsigned char*)
{
    for (int byte = 0; byte < 4; ++byte)
        atomicAdd(reinterpret_cast<unsigned*>(mine + (word >> 8 * byte & keep) * stride), 1);
}

__device__ void add_samples(char* mine, unsigned word, unsigned keep, unsigned stride, const unsigned*)
{
    atomicAdd(reinterpret_cast<unsigned*>(mine + (word & keep) * stride), 1);
}

template <class Sample>
__device__ void count(const Sample* __restrict__ samples, int n, unsigned* counts, int bins, int shift)
{
    __shared__ unsigned shared_counts[words];
    for (int i = threadIdx.x; i < words; i += blockDim.x) shared_counts[i] = 0;
    __syncthreads();

    // Bin b of copy c is word b * copies + c; bins and copies are powers of two.
    int copies = min(32, words / bins);
    char* mine = reinterpret_cast<char*>(shared_counts + (threadIdx.x & (copies - 1)));
    unsigned keep = (bins - 1) << shift;
    unsigned stride = copies * sizeof(unsigned) >> shift;

    constexpr int per_vector = 16 / sizeof(Sample);
    const uint4* vectors = reinterpret_cast<const uint4*>(samples);
    int vector_count = n / per_vector;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    int v = thread;
    for (; v + (ahead - 1) * threads < vector_count; v += ahead * threads) {
        uint4 loaded[ahead];
        for (int j = 0; j < ahead; ++j) loaded[j] = vectors[v + j * threads];
        for (int j = 0; j < ahead; ++j) {
            add_samples(mine, loaded[j].x, keep, stride, samples);
            add_samples(mine, loaded[j].y, keep, stride, samples);
            add_samples(mine, loaded[j].z, keep, stride, samples);
            add_samples(mine, loaded[j].w, keep, stride, samples);
        }
    }
    // The rest: some full vectors, then some single samples.
    for (; v < vector_count; v += threads) {
        uint4 loaded = vectors[v];
        add_samples(mine, loaded.x, keep, stride, samples);
        add_samples(mine, loaded.y, keep, stride, samples);
        add_samples(mine, loaded.z, keep, stride, samples);
        add_samples(mine, loaded.w, keep, stride, samples);
    }
    int rest = vector_count * per_vector + thread;
    if (rest < n) atomicAdd(reinterpret_cast<unsigned*>(mine + (samples[rest] & keep) * stride), 1);

    __syncthreads();
    // Each thread starts with a different copy, so that the sums are in different banks too.
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        unsigned sum = 0;
        for (int c = 0; c < copies; ++c) sum += shared_counts[bin * copies + (c + threadIdx.x & copies - 1)];
        atomicAdd(&counts[bin], sum);
    }
}

extern "C" __global__ void histogram_per_lane(const unsigned char* samples, int n, unsigned* counts, int bins, int shift)
{
    count(samples, n, counts, bins, shift);
}

extern "C" __global__ void histogram_per_lane_wide(const unsigned* samples, int n, unsigned* counts, int bins, int shift)
{
    count(samples, n, counts, bins, shift);
}
