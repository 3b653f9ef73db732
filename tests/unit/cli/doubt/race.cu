// A barrier is missing between the store and the load of another warp's element.
extern "C" __global__ void race(const int* in, int* out)
{
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = in[i];
    out[i] = tile[63 - i];
}
