// Segments: the warp works as sub-groups of 4, 8 or 16 lanes. The shuffle's width separates the sub-groups:
// a lane at the end of its group receives its own value, and adds nothing from outside the group.
extern "C" __global__ void shuffle_segments(const float* from, float* to, int count, int group)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < count ? from[i] : 0.0f;
    for (int offset = group / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset, group);
    sum = __shfl_sync(0xffffffff, sum, 0, group); // the first lane of each group has the whole sum
    if (i < count) to[i] = sum;
}
