// Temporal, deep: ten steps per trip to memory, in longer strips, so that less is computed twice. The deeper the
// march, the more instructions count: warps inside the plate take a path without edge handling.
constexpr int steps = 10;
constexpr int rows = 140;
constexpr int margin = (steps + 3) / 4; // lanes at each end that only serve their neighbours
constexpr int useful = (32 - 2 * margin) * 4;
constexpr unsigned all_lanes = 0xffffffff;

// An insulated plate behaves as if it continued as its own mirror image, so positions outside are
// folded back, repeatedly because a plate of three cells is smaller than the overlap.
__device__ int folded(int at, int size)
{
    for (int fold = 0; fold < 4; ++fold) {
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

template <bool at_the_edge>
__device__ void march(const float* now, float* next, int width, int height, float k, bool insulated,
                      int x, int first, bool writes)
{
    bool aligned = width % 4 == 0; // otherwise rows don't start at a multiple of 16 bytes
    int last = width - 1;
    bool whole = !at_the_edge || (aligned && x >= 0 && x + 3 < width);

    float4 below[steps] = {}, here[steps] = {}; // at time 0, 1, 2, …
    for (int y = first - steps; y < first + rows + steps; y += 4) {
        // Four rows are requested at once, to keep memory busy while earlier ones are processed.
        float4 arriving[4];
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const float* row = now + (at_the_edge ? folded(y + r, height) : y + r) * width;
            if (whole) arriving[r] = *reinterpret_cast<const float4*>(row + x);
            else arriving[r] = make_float4(row[folded(x, width)], row[folded(x + 1, width)],
                                           row[folded(x + 2, width)], row[folded(x + 3, width)]);
        }

#pragma unroll
        for (int r = 0; r < 4; ++r) {
            float4 above = arriving[r];
#pragma unroll
            for (int time = 0; time < steps; ++time) {
                float4 old = here[time];
                float left = __shfl_up_sync(all_lanes, old.w, 1);
                float right = __shfl_down_sync(all_lanes, old.x, 1);

                float4 later;
                later.x = after_a_step(left, old.y, below[time].x, above.x, old.x, k);
                later.y = after_a_step(old.x, old.z, below[time].y, above.y, old.y, k);
                later.z = after_a_step(old.y, old.w, below[time].z, above.z, old.z, k);
                later.w = after_a_step(old.z, right, below[time].w, above.w, old.w, k);

                if (at_the_edge && !insulated) {
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

            // The output of the last step is ten steps later in time and ten rows down in space.
            int row = y + r - steps;
            if (!writes || row < first || row >= min(first + rows, height)) continue;
            float* to = next + row * width + x;
            if (!at_the_edge || aligned) {
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

// Warps at the plate's edges take longest. They start first, so that they don't finish last.
__device__ int edges_first(int block, int blocks)
{
    return block == 0 ? blocks - 1 : block - 1;
}

extern "C" __global__ void heat_temporal_deep(const float* now, float* next,
                                              int width, int height, float k, bool insulated)
{
    int lane = threadIdx.x;
    int strip = edges_first(blockIdx.x, gridDim.x) * useful - 4 * margin;
    int x = strip + 4 * lane;
    int first = (edges_first(blockIdx.y, gridDim.y) * blockDim.y + threadIdx.y) * rows;
    bool writes = lane >= margin && lane < 32 - margin && x < width;
    bool inside = width % 4 == 0 && strip > 0 && strip + 128 < width &&
                  first > steps && first + rows + steps + 3 < height;
    if (inside) march<false>(now, next, width, height, k, insulated, x, first, writes);
    else march<true>(now, next, width, height, k, insulated, x, first, writes);
}
