// Where what was kept came from: numbers of this lab hold their old place, 0 the first and 1 the last, in their lower
// bits. In order the picture is a smooth ramp.
extern "C" __global__ void compaction_origin(const float* kept, const unsigned* how_many, float* shown, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float scaled = kept[i] * 256;
    shown[i] = i < *how_many ? scaled - floorf(scaled) : 0.0f;
}
