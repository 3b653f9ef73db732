// float4: a thread owns four neighbouring cells and moves 16 bytes with every access: one load and one store for
// four cells. Its side neighbours belong to the adjacent lanes; only the warp's first and last lane load one.
constexpr unsigned all_lanes = 0xffffffff;
constexpr int front = 32; // 31 cells of padding and the ghost: the rod starts at a multiple of 128 bytes

__device__ float after_a_step(float left, float here, float right, float k)
{
    return fmaf(k, fmaf(-2.0f, here, left + right), here);
}

extern "C" __global__ void rod_float4(const float* now, float* next, int cells, float k)
{
    int cell = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int i = front + cell;
    int lane = threadIdx.x % 32;
    bool whole = cell + 3 < cells;

    // Everything is requested together, so that there is only one wait. Past the rod its last ghost is repeated, for
    // surplus threads: they stay because the shuffle needs every lane.
    int ghost = front + cells;
    float beside = 0;
    if (lane == 0) beside = now[min(i - 1, ghost)];
    if (lane == 31) beside = now[min(i + 4, ghost)];
    float4 here;
    if (whole) here = *reinterpret_cast<const float4*>(now + i);
    else here = make_float4(now[min(i, ghost)], now[min(i + 1, ghost)], now[min(i + 2, ghost)], now[min(i + 3, ghost)]);

    float left = __shfl_up_sync(all_lanes, here.w, 1);
    float right = __shfl_down_sync(all_lanes, here.x, 1);
    if (lane == 0) left = beside;
    if (lane == 31) right = beside;

    float4 later;
    later.x = after_a_step(left, here.x, here.y, k);
    later.y = after_a_step(here.x, here.y, here.z, k);
    later.z = after_a_step(here.y, here.z, here.w, k);
    later.w = after_a_step(here.z, here.w, right, k);

    if (whole) {
        *reinterpret_cast<float4*>(next + i) = later;
    } else {
        if (cell < cells) next[i] = later.x;
        if (cell + 1 < cells) next[i + 1] = later.y;
        if (cell + 2 < cells) next[i + 2] = later.z;
    }
}
