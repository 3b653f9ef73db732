"""A kernel for core.py that stands in a module of its own."""

REVERSE = r"""
extern "C" __global__ void reverse(float* values)
{
    __shared__ float own[128];
    const int t = threadIdx.x;
    own[t] = values[t];
    __syncthreads();
#ifdef WRONG
    values[t] = own[128 - t];  // reverse: out_of_bounds
#else
    values[t] = own[127 - t];
#endif
}
"""
