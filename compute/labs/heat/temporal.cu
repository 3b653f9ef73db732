// Temporal: four steps per trip to memory. A warp marches up a strip of 128 columns and keeps the
// last two rows of each of the four time steps in registers: a new row lets the row below advance
// one step; that lets the next row below advance two, and so on. No shared memory, no barrier.
// The price is redundant work: lanes 0 and 31 and four rows at each end only serve their neighbours.
constexpr int steps = 4;
constexpr int rows = 32;
constexpr unsigned all_lanes = 0xffffffff;

// An insulated plate behaves as if it continued as its own mirror image, so positions outside are
// folded back, twice because a plate of three cells is smaller than the overlap.
__device__ int folded(int at, int size)
{
    for (int fold = 0; fold < 2; ++fold) {
        if (at < 0) at = -1 - at;
        if (at >= size) at = 2 * size - 1 - at;
    }
    return min(max(at, 0), size - 1);
}

__device__ float after_a_step(float left, float right, float below, float above, float here, float k)
{
    float around = (left + right) + (below + above);
    return fmaf(k, fmaf(-4.0f, here, around), here);
}

extern "C" __global__ void heat_temporal(const float* now, float* next,
                                         int width, int height, float k, bool insulated)
{
    int lane = threadIdx.x;
    int x = blockIdx.x * 120 + lane * 4 - steps;
    int first = (blockIdx.y * blockDim.y + threadIdx.y) * rows;
    bool aligned = width % 4 == 0; // otherwise rows don't start at a multiple of 16 bytes
    int last = width - 1;
    bool whole = aligned && x >= 0 && x + 3 < width;
    bool writes = lane >= 1 && lane <= 30 && x < width;

    float4 below[steps] = {}, here[steps] = {}; // at time 0, 1, 2, 3
    for (int y = first - steps; y < first + rows + steps; y += 4) {
        // Four rows are requested at once, to keep memory busy while earlier ones are processed.
        float4 arriving[4];
        if (whole) {
            for (int r = 0; r < 4; ++r)
                arriving[r] = *reinterpret_cast<const float4*>(now + folded(y + r, height) * width + x);
        } else {
            for (int r = 0; r < 4; ++r) {
                const float* row = now + folded(y + r, height) * width;
                arriving[r] = make_float4(row[folded(x, width)], row[folded(x + 1, width)],
                                          row[folded(x + 2, width)], row[folded(x + 3, width)]);
            }
        }

        for (int r = 0; r < 4; ++r) {
            float4 above = arriving[r];
            for (int time = 0; time < steps; ++time) {
                float4 old = here[time];
                float left = __shfl_up_sync(all_lanes, old.w, 1);
                float right = __shfl_down_sync(all_lanes, old.x, 1);

                float4 later;
                later.x = after_a_step(left, old.y, below[time].x, above.x, old.x, k);
                later.y = after_a_step(old.x, old.z, below[time].y, above.y, old.y, k);
                later.z = after_a_step(old.y, old.w, below[time].z, above.z, old.z, k);
                later.w = after_a_step(old.z, right, below[time].w, above.w, old.w, k);

                if (!insulated) {
                    int row = y + r - 1 - time;
                    bool row_rim = row == 0 || row == height - 1;
                    if (row_rim || x == 0 || x == last) later.x = old.x;
                    if (row_rim || x + 1 == last) later.y = old.y;
                    if (row_rim || x + 2 == last) later.z = old.z;
                    if (row_rim || x + 3 == last) later.w = old.w;
                }
                below[time] = old;
                here[time] = above;
                above = later;
            }

            // The output of the last step is four steps later in time and four rows down in space.
            int row = y + r - steps;
            if (!writes || row < first || row >= min(first + rows, height)) continue;
            float* to = next + row * width + x;
            if (aligned) {
                *reinterpret_cast<float4*>(to) = above;
            } else {
                to[0] = above.x;
                if (x + 1 < width) to[1] = above.y;
                if (x + 2 < width) to[2] = above.z;
                if (x + 3 < width) to[3] = above.w;
            }
        }
    }
}
