// `best` has no value in threads that find nothing.
extern "C" __global__ void uninitialised(const int* in, int* out)
{
    int best;
    for (int i = 0; i < 4; ++i)
        if (in[4 * threadIdx.x + i] > 10) best = i + 100;
    out[threadIdx.x] = best;
}
