// Cooperation in shared memory: tiles, sums, sorting, histograms.
extern "C" __global__ void transpose_tile(float* out, const float* in)
{
    __shared__ float tile[16][17];
    const int x = blockIdx.x * 16 + threadIdx.x;
    const int y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * 64 + x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * 64 + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void block_sum(unsigned* out, const unsigned* in)
{
    __shared__ unsigned sums[128];
    sums[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    for (unsigned half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

extern "C" __global__ void bitonic_sort(unsigned* out, const unsigned* in)
{
    extern __shared__ unsigned keys[];
    const unsigned t = threadIdx.x;
    keys[t] = in[blockIdx.x * 128 + t];
    for (unsigned k = 2; k <= 128; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            const unsigned partner = t ^ j;
            if (partner > t) {
                const unsigned a = keys[t], b = keys[partner];
                if ((a > b) == ((t & k) == 0)) {
                    keys[t] = b;
                    keys[partner] = a;
                }
            }
        }
    __syncthreads();
    out[blockIdx.x * 128 + t] = keys[t];
}

extern "C" __global__ void histogram(unsigned* out, const unsigned* in)
{
    __shared__ unsigned bins[32];
    if (threadIdx.x < 32) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * 128 + threadIdx.x] % 32], 1u);
    __syncthreads();
    if (threadIdx.x < 32) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void multiply_tiles(float* out, const float* a, const float* b)
{
    __shared__ float left[8][8], right[8][8];
    const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 32; k += 8) {
        left[threadIdx.y][threadIdx.x] = a[y * 32 + k + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * 32 + x];
        __syncthreads();
        for (int i = 0; i < 8; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    out[y * 32 + x] = sum;
}

extern "C" __global__ void counted_barriers(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = in[i];
    const int count = __syncthreads_count(x & 1);
    const int all = __syncthreads_and(x != 7);
    const int any = __syncthreads_or(x % 97 == 0);
    out[i] = count * 4 + (all ? 2 : 0) + (any ? 1 : 0);
}

// Half of the block passes values to the other half through named barriers that count both halves.
extern "C" __global__ void producer_consumer(unsigned* out, const unsigned* in)
{
    __shared__ unsigned slot[64];
    const unsigned t = threadIdx.x;
    for (int round = 0; round < 3; ++round) {
        if (t < 64) {
            slot[t] = in[blockIdx.x * 128 + t] + round;
            asm volatile("bar.arrive 1, 128;" ::: "memory");
            asm volatile("bar.sync 2, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            out[blockIdx.x * 64 + 127 - t] += slot[127 - t] * (round + 1);
            asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
}
