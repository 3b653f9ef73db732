// Offset: all lanes read neighbours, but the first one isn't at the start of a sector. Unless the offset is
// a multiple of eight floats, a warp's 128 bytes touch five sectors instead of four.
extern "C" __global__ void coalescing_offset(const float* from, float* to, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i + offset];
}
