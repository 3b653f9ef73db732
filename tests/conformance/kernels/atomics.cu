// Atomics: on a cell per thread, whose returned value is fixed, and on one cell for all threads.
extern "C" __global__ void own_cells(unsigned* cells, unsigned* old, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    cells[i] = in[i];
    const unsigned x = in[(i * 7 + 5) % 640];
    unsigned r = 0;
    switch (i % 11) {
    case 0: r = atomicAdd(&cells[i], x); break;
    case 1: r = atomicSub(&cells[i], x); break;
    case 2: r = atomicMin(&cells[i], x); break;
    case 3: r = atomicMax(&cells[i], x); break;
    case 4: r = atomicInc(&cells[i], x); break;
    case 5: r = atomicDec(&cells[i], x); break;
    case 6: r = atomicAnd(&cells[i], x); break;
    case 7: r = atomicOr(&cells[i], x); break;
    case 8: r = atomicXor(&cells[i], x); break;
    case 9: r = atomicExch(&cells[i], x); break;
    default: r = atomicCAS(&cells[i], i % 2 ? in[i] : x, 42u); break;
    }
    old[i] = r;
}

extern "C" __global__ void own_wide_cells(unsigned long long* cells, unsigned long long* old, const unsigned long long* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    cells[i] = in[i];
    const unsigned long long x = in[(i * 7 + 5) % 640];
    unsigned long long r = 0;
    switch (i % 8) {
    case 0: r = atomicAdd(&cells[i], x); break;
    case 1: r = atomicMin(&cells[i], x); break;
    case 2: r = atomicMax(&cells[i], x); break;
    case 3: r = atomicAnd(&cells[i], x); break;
    case 4: r = atomicOr(&cells[i], x); break;
    case 5: r = atomicXor(&cells[i], x); break;
    case 6: r = atomicExch(&cells[i], x); break;
    default: r = atomicCAS(&cells[i], in[i], x); break;
    }
    old[i] = r;
}

extern "C" __global__ void contended(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = in[i];
    atomicAdd(&out[0], x);
    atomicSub(&out[1], x);
    atomicMin(&out[2], x - 0x80000000u);
    atomicMax(&out[3], x);
    atomicAnd(&out[4], x | 0xff);
    atomicOr(&out[5], x);
    atomicXor(&out[6], x);
    atomicInc(&out[7], 100u);
    atomicMin(reinterpret_cast<int*>(&out[8]), static_cast<int>(x));
    atomicMax(reinterpret_cast<int*>(&out[9]), static_cast<int>(x));
    atomicAdd(&out[16 + i % 8], 1u);
}

// Sums of small integers are exact in any order.
extern "C" __global__ void floating_sums(float* out, double* out2, const unsigned* in)
{
    __shared__ float sum;
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, static_cast<float>(in[i] % 100));
    atomicAdd(&out[0], static_cast<float>(in[i] % 64));
    atomicAdd(&out2[0], static_cast<double>(in[i]));
    __syncthreads();
    if (threadIdx.x == 0) out[1 + blockIdx.x] = sum;
}

extern "C" __global__ void shared_cells(unsigned* out, const unsigned* in)
{
    __shared__ unsigned cells[16];
    __shared__ unsigned long long wide;
    const unsigned x = in[blockIdx.x * 128 + threadIdx.x];
    if (threadIdx.x < 16) cells[threadIdx.x] = 0;
    if (threadIdx.x == 0) wide = 0;
    __syncthreads();
    atomicAdd(&cells[0], x);
    atomicMax(&cells[1], x);
    atomicXor(&cells[2], x);
    atomicInc(&cells[3], 50u);
    atomicMin(reinterpret_cast<int*>(&cells[4]), static_cast<int>(x));
    atomicAdd(&wide, static_cast<unsigned long long>(x) << 8);
    unsigned seen = cells[5];
    do {
        const unsigned expected = seen;
        seen = atomicCAS(&cells[5], expected, expected + (x & 3));
        if (seen == expected) break;
    } while (true);
    __syncthreads();
    if (threadIdx.x < 6) out[blockIdx.x * 8 + threadIdx.x] = cells[threadIdx.x];
    if (threadIdx.x == 6) out[blockIdx.x * 8 + 6] = static_cast<unsigned>(wide);
    if (threadIdx.x == 7) out[blockIdx.x * 8 + 7] = static_cast<unsigned>(wide >> 32);
}

__device__ unsigned finished_blocks;

// The last block to arrive adds up the partial sums of all blocks.
extern "C" __global__ void last_block_sums(unsigned* out, unsigned* parts, const unsigned* in)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (int k = 0; k < 128; ++k) sum += in[blockIdx.x * 128 + k];
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(&finished_blocks, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x != 0) return;
    unsigned sum = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) sum += reinterpret_cast<volatile unsigned*>(parts)[k];
    out[0] = sum;
}
