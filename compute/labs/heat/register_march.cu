// Register march: a thread walks up a column of the plate and carries three cells in registers. What
// was above becomes here, what was here becomes below: a step up needs one new cell, not three.
constexpr int rows = 16;

extern "C" __global__ void heat_register_march(const float* now, float* next,
                                               int width, int height, float k, bool insulated)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int first = (blockIdx.y * blockDim.y + threadIdx.y) * rows;
    if (x >= width || first >= height) return;

    int left = x > 0 ? x - 1 : x;
    int right = x < width - 1 ? x + 1 : x;
    bool side = x == 0 || x == width - 1;

    const float* row = now + first * width;
    float below = first > 0 ? row[x - width] : row[x];
    float here = row[x];
    for (int y = first; y < min(first + rows, height); ++y) {
        bool top = y == height - 1;
        float above = top ? here : row[x + width];
        float around = (row[left] + row[right]) + (below + above);
        float later = fmaf(k, fmaf(-4.0f, here, around), here);

        bool rim = side || y == 0 || top;
        next[y * width + x] = rim && !insulated ? here : later;

        below = here;
        here = above;
        row += width;
    }
}
