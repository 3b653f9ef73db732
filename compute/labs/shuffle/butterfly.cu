// Butterfly: each lane exchanges with the partner whose number differs in one bit: 1, 2, 4, 8, 16 apart. After five
// rounds every lane holds the sum of all 32.
extern "C" __global__ void shuffle_butterfly(const float* from, float* to, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < count ? from[i] : 0.0f;
    for (int offset = 1; offset < 32; offset *= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (i < count) to[i] = sum;
}
