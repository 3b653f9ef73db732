// Lanes of one warp access different memory spaces: one instruction, one request per space.
extern "C" __global__ void both_spaces(const float* in, float* out)
{
    __shared__ float tile[64];
    int t = threadIdx.x;
    int i = blockIdx.x * 64 + t;
    tile[t] = in[i] + 1;
    __syncthreads();
    const float* from = t % 3 == 0 ? &tile[63 - t] : &in[i];
    float value = *from;
    __syncthreads();
    float* to = t % 2 == 0 ? &tile[t] : &out[i];
    *to = value;
    if (t % 2 == 0) out[i] = tile[t] * 2;
}
