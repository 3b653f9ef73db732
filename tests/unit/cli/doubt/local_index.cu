// Thread 3 writes before the start of `small`.
extern "C" __global__ void local_index(const int* in, int* out)
{
    int guard[4] = {7, 7, 7, 7};
    int small[4] = {0, 0, 0, 0};
    int i = in[threadIdx.x];
    small[i] = 5;
    int sum = 0;
    for (int k = 0; k < 4; ++k) sum += small[k] + 10 * guard[k];
    out[threadIdx.x] = sum;
}
