// `a` and `b` are said not to overlap, but the launch passes the same buffer twice.
extern "C" __global__ void aliasing(int* __restrict__ a, int* __restrict__ b, int* out)
{
    int i = threadIdx.x;
    a[i] = 1;
    b[i] = 2;
    out[i] = a[i] + 10;
}
