// Fire and forget: the same four launches without any waiting, neither for each other nor for this block.
struct Plane {
    int size, limit;             // pixels per side, maximum iterations
    int first, smallest, cells;  // sides of the first and smallest squares; smallest squares per row
    float center_x, center_y, pixel;
};
struct Cell {
    int square, level;
};

__device__ int dwell_at(const Plane& plane, int column, int row)
{
    float cx = fmaf(plane.pixel, column - 0.5f * plane.size, plane.center_x);
    float cy = fmaf(plane.pixel, row - 0.5f * plane.size, plane.center_y);
    float x = 0, y = 0;
    int dwell = 0;
    while (dwell < plane.limit) {
        // Rounded separately (no fused multiply-add), so that all engines get the same count.
        float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y);
        if (xx + yy > 4.0f) break;
        y = fmaf(2.0f * x, y, cy);
        x = (xx - yy) + cx;
        ++dwell;
    }
    return dwell;
}

// Called by the whole block: computes the square's rim, and fills the inside if the rim has a single dwell, or computes
// it if the square is one of the smallest. False: subdivide the square.
__device__ bool settle(int* dwells, Cell* cells, const Plane& plane, int left, int top, int side)
{
    __shared__ int first;
    int width = min(side, plane.size - left), height = min(side, plane.size - top);
    if (width <= 0 || height <= 0) return true; // outside the picture

    int columns = max(width - 2, 0), rows = max(height - 2, 0); // inside the rim
    int rim = width * height - columns * rows, of_rows = rim - min(width, 2) * rows;
    int mine = -1;
    bool same = true;
    for (int i = threadIdx.x; i < rim; i += blockDim.x) {
        // Alternates between the top and bottom row, then between the left and right column.
        int j = i - of_rows, lines = min(j < 0 ? height : width, 2);
        int column = j < 0 ? i / lines : j % lines * (width - 1);
        int row = j < 0 ? i % lines * (height - 1) : 1 + j / lines;
        int dwell = dwell_at(plane, left + column, top + row);
        dwells[(top + row) * plane.size + left + column] = dwell;
        same = same && (mine < 0 || mine == dwell);
        mine = dwell;
    }
    if (threadIdx.x == 0) first = mine;
    __syncthreads();
    same = __syncthreads_and(same && (mine < 0 || mine == first));
    if (!same && side > plane.smallest) return false;

    for (int i = threadIdx.x; i < columns * rows; i += blockDim.x) {
        int column = left + 1 + i % columns, row = top + 1 + i / columns;
        dwells[row * plane.size + column] = same ? first : dwell_at(plane, column, row);
    }
    int across = (width + plane.smallest - 1) / plane.smallest, down = (height + plane.smallest - 1) / plane.smallest;
    for (int i = threadIdx.x; i < across * down; i += blockDim.x)
        cells[(top / plane.smallest + i / across) * plane.cells + left / plane.smallest + i % across] =
            {top * plane.size + left, __ffs(plane.first / side) - 1};
    return true;
}

extern "C" __global__ void dwell_fire_and_forget(int* dwells, Cell* cells, Plane plane, int left, int top, int side)
{
    left += blockIdx.x * side;
    top += blockIdx.y * side;
    if (settle(dwells, cells, plane, left, top, side)) return;
    if (threadIdx.x != 0) return;
    int half = side / 2;
    dwell_fire_and_forget<<<1, blockDim.x, 0, cudaStreamFireAndForget>>>(dwells, cells, plane, left, top, half);
    dwell_fire_and_forget<<<1, blockDim.x, 0, cudaStreamFireAndForget>>>(dwells, cells, plane, left + half, top, half);
    dwell_fire_and_forget<<<1, blockDim.x, 0, cudaStreamFireAndForget>>>(dwells, cells, plane, left, top + half, half);
    dwell_fire_and_forget<<<1, blockDim.x, 0, cudaStreamFireAndForget>>>(dwells, cells, plane, left + half, top + half, half);
}
