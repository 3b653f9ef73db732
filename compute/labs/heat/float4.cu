// float4: a thread owns four neighbouring cells of a row and moves 16 bytes with every access: three loads
// and one store for four cells. Its side neighbours belong to the adjacent lanes.
constexpr unsigned all_lanes = 0xffffffff;

__device__ float after_a_step(float left, float right, float below, float above, float here, float k)
{
    float around = (left + right) + (below + above);
    return fmaf(k, fmaf(-4.0f, here, around), here);
}

__device__ float4 one_by_one(const float* row, int x, int last)
{
    return make_float4(row[min(x, last)], row[min(x + 1, last)], row[min(x + 2, last)], row[min(x + 3, last)]);
}

extern "C" __global__ void heat_float4(const float* now, float* next,
                                       int width, int height, float k, bool insulated)
{
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int lane = threadIdx.x % 32;
    int last = width - 1;

    // Positions outside the plate repeat its edge, for its neighbours and for surplus threads, which
    // stay because the shuffle below needs every lane.
    const float* row = now + min(y, height - 1) * width;
    const float* row_below = now + min(max(y - 1, 0), height - 1) * width;
    const float* row_above = now + min(y + 1, height - 1) * width;

    // The two lanes at the warp's ends each need one neighbour that no lane holds. It is loaded together
    // with everything else, so that there is only one wait.
    bool at_an_end = (lane + 1) % 32 < 2; // 31 or 0
    int beside = lane == 0 ? x - 1 : x + 4;
    float side = 0;
    if (at_an_end) side = row[min(max(beside, 0), last)];
    float4 below, here, above;
    if (width % 4 == 0 && x < width) {
        below = *reinterpret_cast<const float4*>(row_below + x);
        here = *reinterpret_cast<const float4*>(row + x);
        above = *reinterpret_cast<const float4*>(row_above + x);
    } else { // rows don't start at a multiple of 16 bytes
        below = one_by_one(row_below, x, last);
        here = one_by_one(row, x, last);
        above = one_by_one(row_above, x, last);
    }

    float left = __shfl_up_sync(all_lanes, here.w, 1);
    float right = __shfl_down_sync(all_lanes, here.x, 1);
    if (lane == 0) left = side;
    if (lane == 31) right = side;

    float4 later;
    later.x = after_a_step(left, here.y, below.x, above.x, here.x, k);
    later.y = after_a_step(here.x, here.z, below.y, above.y, here.y, k);
    later.z = after_a_step(here.y, here.w, below.z, above.z, here.z, k);
    later.w = after_a_step(here.z, right, below.w, above.w, here.w, k);

    if (!insulated) {
        bool row_rim = y == 0 || y == height - 1;
        if (row_rim || x == 0 || x == last) later.x = here.x;
        if (row_rim || x + 1 == last) later.y = here.y;
        if (row_rim || x + 2 == last) later.z = here.z;
        if (row_rim || x + 3 == last) later.w = here.w;
    }
    if (x >= width || y >= height) return;

    float* to = next + y * width + x;
    if (width % 4 == 0) {
        *reinterpret_cast<float4*>(to) = later;
    } else {
        to[0] = later.x;
        if (x + 1 < width) to[1] = later.y;
        if (x + 2 < width) to[2] = later.z;
        if (x + 3 < width) to[3] = later.w;
    }
}
