// Cooperation within blocks: shared memory tiles, tree reductions and named barriers.
extern "C" __global__ void reverse(const float* in, float* out)
{
    extern __shared__ float tile[];
    int t = threadIdx.x;
    int base = blockIdx.x * blockDim.x;
    tile[t] = in[base + t];
    __syncthreads();
    out[base + t] = tile[blockDim.x - 1 - t];
}

extern "C" __global__ void tree_sum(const int* in, int* out)
{
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) part[t] += part[t + half];
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void multiply(const float* a, const float* b, float* c, int n)
{
    __shared__ float ta[16][16];
    __shared__ float tb[16][16];
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

extern "C" __global__ void votes_of_block(const int* in, int* out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int count = __syncthreads_count(in[t] > 10);
    int all = __syncthreads_and(in[t] >= 0);
    int any = __syncthreads_or(in[t] == 77);
    out[t] = count * 4 + all * 2 + any;
}

// Warps 0 and 1 produce, warps 2 and 3 consume, synchronised by named barriers.
extern "C" __global__ void producer_consumer(const int* in, int* out, int rounds)
{
    __shared__ int box[64];
    int t = threadIdx.x & 63;
    bool producer = threadIdx.x < 64;
    int sum = 0;
    for (int r = 0; r < rounds; ++r) {
        if (producer) {
            asm volatile("barrier.sync 2, 128;" ::: "memory");
            box[t] = in[r * 64 + t];
            asm volatile("barrier.arrive 1, 128;" ::: "memory");
        } else {
            asm volatile("barrier.arrive 2, 128;" ::: "memory");
            asm volatile("barrier.sync 1, 128;" ::: "memory");
            sum += box[63 - t];
        }
    }
    if (!producer) out[t] = sum;
}

// Each side of a branch has its own barrier: every thread arrives, at different instructions.
extern "C" __global__ void diverged_barrier(int* out)
{
    __shared__ int box[64];
    int t = threadIdx.x;
    box[t] = t;
    if (t % 2) {
        __syncthreads();
        out[t] = box[63 - t];
    } else {
        __syncthreads();
        out[t] = -box[63 - t];
    }
}
