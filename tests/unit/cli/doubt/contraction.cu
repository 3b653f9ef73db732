// a·b + c·c: optimised code fuses a product and the addition, and so rounds only once.
extern "C" __global__ void contraction(const float* a, const float* b, const float* c, float* out)
{
    int i = threadIdx.x;
    float product = a[i] * b[i];
    float square = c[i] * c[i];
    out[i] = product + square;
}
