// Levels: the same squares without device-side launches. Blocks put squares to subdivide on a list, and the host launches the
// next level for the maximum number of squares, since it doesn't know how many there are.
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

extern "C" __global__ void dwell_levels(int* dwells, Cell* cells, Plane plane, const int2* now, int2* next, int* counts,
                                        int level)
{
    int side = plane.first >> level;
    if (blockIdx.x >= counts[level]) return;
    int2 corner = now[blockIdx.x];
    if (settle(dwells, cells, plane, corner.x, corner.y, side)) return;
    if (threadIdx.x != 0) return;
    int at = atomicAdd(&counts[level + 1], 4);
    side /= 2;
    next[at] = corner;
    next[at + 1] = {corner.x + side, corner.y};
    next[at + 2] = {corner.x, corner.y + side};
    next[at + 3] = {corner.x + side, corner.y + side};
}

// The list of the first level: adjacent squares.
extern "C" __global__ void dwell_first_level(int2* now, int* counts, int first, int across)
{
    now[blockIdx.x] = {int(blockIdx.x) % across * first, int(blockIdx.x) / across * first};
    if (blockIdx.x == 0) counts[0] = gridDim.x;
}
