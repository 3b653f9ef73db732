// Vector loads: the private histogram of a block again, but samples arrive 16 bytes at a time. One load now
// feeds sixteen additions (four, when samples are 32 bits wide) instead of one.
constexpr int max_bins = 4096;

__device__ void add_samples(unsigned* mine, unsigned word, int shift, const unsigned char*)
{
    for (int byte = 0; byte < 4; ++byte) atomicAdd(&mine[(word >> 8 * byte & 255) >> shift], 1);
}

__device__ void add_samples(unsigned* mine, unsigned word, int shift, const unsigned*)
{
    atomicAdd(&mine[word >> shift], 1);
}

template <class Sample>
__device__ void count(const Sample* samples, int n, unsigned* counts, int bins, int shift)
{
    __shared__ unsigned mine[max_bins];
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) mine[bin] = 0;
    __syncthreads();

    constexpr int per_vector = 16 / sizeof(Sample);
    int vectors = n / per_vector;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int v = thread; v < vectors; v += threads) {
        uint4 words = reinterpret_cast<const uint4*>(samples)[v];
        add_samples(mine, words.x, shift, samples);
        add_samples(mine, words.y, shift, samples);
        add_samples(mine, words.z, shift, samples);
        add_samples(mine, words.w, shift, samples);
    }
    // The last few samples do not fill a vector.
    int rest = vectors * per_vector + thread;
    if (rest < n) atomicAdd(&mine[samples[rest] >> shift], 1);

    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) atomicAdd(&counts[bin], mine[bin]);
}

extern "C" __global__ void histogram_vector_loads(const unsigned char* samples, int n, unsigned* counts, int bins, int shift)
{
    count(samples, n, counts, bins, shift);
}

extern "C" __global__ void histogram_vector_loads_wide(const unsigned* samples, int n, unsigned* counts, int bins, int shift)
{
    count(samples, n, counts, bins, shift);
}
