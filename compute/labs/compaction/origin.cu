// Original positions of the kept elements: this lab's numbers hold their old position, from 0 for the first to 1 for the
// last, in their lower bits. In order, the picture is a smooth ramp.
extern "C" __global__ void compaction_origin(const float* kept, const unsigned* how_many, float* shown, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float scaled = kept[i] * 256;
    shown[i] = i < *how_many ? scaled - floorf(scaled) : 0.0f;
}
