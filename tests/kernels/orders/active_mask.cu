// Adds up a warp. __activemask() names the lanes that run together just now, which may be some of the warp's.
__device__ int sum_of(unsigned mask, int sum)
{
    for (int offset = 16; offset > 0; offset /= 2) {
        int other = __shfl_xor_sync(mask, sum, offset);
        if (mask >> (threadIdx.x ^ offset) % 32 & 1) sum += other;
    }
    return sum;
}

extern "C" __global__ void active_mask(int* values)
{
    values[threadIdx.x] = sum_of(__activemask(), threadIdx.x);
}

extern "C" __global__ void full_mask(int* values)
{
    values[threadIdx.x] = sum_of(0xffffffff, threadIdx.x);
}
