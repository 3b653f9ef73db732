// float4: a thread owns four columns and four rows. It asks for all of its rows at once, 16 bytes a
// load, so that much is under way while it waits; its side neighbours belong to the lanes beside it.
constexpr int rows = 4;
constexpr unsigned all_lanes = 0xffffffff;

__device__ float after_a_step(float left, float right, float below, float above, float here, float k)
{
    float around = (left + right) + (below + above);
    return fmaf(k, fmaf(-4.0f, here, around), here);
}

extern "C" __global__ void heat_float4(const float* now, float* next,
                                       int width, int height, float k, bool insulated)
{
    int lane = threadIdx.x;
    int x = (blockIdx.x * 32 + lane) * 4;
    int first = (blockIdx.y * blockDim.y + threadIdx.y) * rows;
    bool aligned = width % 4 == 0; // otherwise rows do not start at a multiple of 16 bytes
    int last = width - 1;

    // cells[0] and cells[rows + 1] are the neighbours below and above. Beyond the plate its edge is repeated.
    float4 cells[rows + 2];
    if (aligned && x + 3 < width) {
        for (int r = 0; r < rows + 2; ++r) {
            int y = min(max(first + r - 1, 0), height - 1);
            cells[r] = *reinterpret_cast<const float4*>(now + y * width + x);
        }
    } else {
        for (int r = 0; r < rows + 2; ++r) {
            const float* row = now + min(max(first + r - 1, 0), height - 1) * width;
            cells[r] = make_float4(row[min(x, last)], row[min(x + 1, last)], row[min(x + 2, last)], row[min(x + 3, last)]);
        }
    }
    // The two lanes at the warp's ends have one neighbour each that no lane holds.
    float outer[rows];
    int outer_x = lane == 0 ? max(x - 1, 0) : min(x + 4, last);
    for (int r = 0; r < rows; ++r)
        outer[r] = lane == 0 || lane == 31 ? now[min(first + r, height - 1) * width + min(outer_x, last)] : 0;

    for (int r = 0; r < rows; ++r) {
        float4 below = cells[r], here = cells[r + 1], above = cells[r + 2];
        float left = __shfl_up_sync(all_lanes, here.w, 1);
        float right = __shfl_down_sync(all_lanes, here.x, 1);
        if (lane == 0) left = outer[r];
        if (lane == 31) right = outer[r];

        float4 later;
        later.x = after_a_step(left, here.y, below.x, above.x, here.x, k);
        later.y = after_a_step(here.x, here.z, below.y, above.y, here.y, k);
        later.z = after_a_step(here.y, here.w, below.z, above.z, here.z, k);
        later.w = after_a_step(here.z, right, below.w, above.w, here.w, k);

        int y = first + r;
        if (!insulated) {
            bool row_rim = y == 0 || y == height - 1;
            if (row_rim || x == 0 || x == last) later.x = here.x;
            if (row_rim || x + 1 == last) later.y = here.y;
            if (row_rim || x + 2 == last) later.z = here.z;
            if (row_rim || x + 3 == last) later.w = here.w;
        }
        if (y >= height || x >= width) continue;

        float* to = next + y * width + x;
        if (aligned) {
            *reinterpret_cast<float4*>(to) = later;
        } else {
            to[0] = later.x;
            if (x + 1 < width) to[1] = later.y;
            if (x + 2 < width) to[2] = later.z;
            if (x + 3 < width) to[3] = later.w;
        }
    }
}
