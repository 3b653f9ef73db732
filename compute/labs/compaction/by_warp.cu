// By warp: a ballot counts the lanes that keep their element, one of them reserves positions for all, and each lane takes
// the position after those of the lanes before it. One atomic per warp instead of one per kept element.
constexpr unsigned all_lanes = 0xffffffff;

extern "C" __global__ void compaction_by_warp(const float* from, float* to, unsigned* places, int count, float limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    float value = i < count ? from[i] : 0.0f;
    bool keep = i < count && value < limit;

    unsigned keepers = __ballot_sync(all_lanes, keep);
    unsigned first = 0;
    if (lane == 0 && keepers) first = atomicAdd(places, __popc(keepers));
    first = __shfl_sync(all_lanes, first, 0);
    if (keep) to[first + __popc(keepers & ((1u << lane) - 1))] = value;
}
