// Grid: the plane is cut into cells as wide as a boid sees. Counting, adding up and placing puts the numbers of all boids
// in the order of their cells; neighbours are then in three rows of three cells.
constexpr unsigned all_lanes = 0xffffffff;

__device__ int cell_of(float at, int side)
{
    return min(max((int)((at + 1) / 2 * side), 0), side - 1);
}

extern "C" __global__ void boids_count(const float4* boids, int* counts, int* ranks, int count, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 own = boids[i];
    ranks[i] = atomicAdd(&counts[cell_of(own.y, side) * side + cell_of(own.x, side)], 1);
}

// Replaces each count by the sum of all before it; one more is the sum of all. One block of 1024, in steps of its own size.
extern "C" __global__ void boids_starts(const int* counts, int* starts, int cells)
{
    __shared__ int warp_sums[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int before = 0;
    for (int first = 0; first < cells; first += blockDim.x) {
        int i = first + threadIdx.x;
        int own = i < cells ? counts[i] : 0;
        int sum = own;
        for (int offset = 1; offset < 32; offset *= 2) {
            int other = __shfl_up_sync(all_lanes, sum, offset);
            if (lane >= offset) sum += other;
        }
        if (lane == 31) warp_sums[warp] = sum;
        __syncthreads();
        int total = 0, earlier = 0;
        for (int w = 0; w < 32; ++w) {
            if (w < warp) earlier += warp_sums[w];
            total += warp_sums[w];
        }
        if (i < cells) starts[i] = before + earlier + sum - own;
        before += total;
        __syncthreads();
    }
    if (threadIdx.x == 0) starts[cells] = before;
}

extern "C" __global__ void boids_place(const float4* boids, const int* starts, const int* ranks, int* order,
                                       int count, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 own = boids[i];
    order[starts[cell_of(own.y, side) * side + cell_of(own.x, side)] + ranks[i]] = i;
}

// The loads of neighbours follow the numbers of a cell, wherever those boids are in memory.
extern "C" __global__ void boids_grid(const float4* boids, const int* order, const int* starts, float4* next,
                                      int count, int side, float sight, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 own = boids[i];
    int column = cell_of(own.x, side);
    int row = cell_of(own.y, side);

    float4 sum = make_float4(0, 0, 0, 0);
    float2 away = make_float2(0, 0);
    int seen = 0;
    for (int y = max(row - 1, 0); y <= min(row + 1, side - 1); ++y) {
        int end = starts[y * side + min(column + 1, side - 1) + 1];
        for (int k = starts[y * side + max(column - 1, 0)]; k < end; ++k) {
            float4 other = boids[order[k]];
            float dx = other.x - own.x;
            float dy = other.y - own.y;
            float square = dx * dx + dy * dy;
            if (square >= sight * sight || square == 0) continue;
            float push = 1 - sqrtf(square) / sight;
            away.x -= push * dx;
            away.y -= push * dy;
            sum.x += dx;
            sum.y += dy;
            sum.z += other.z;
            sum.w += other.w;
            ++seen;
        }
    }

    float share = seen > 0 ? 1.0f / seen : 0;
    float vx = own.z + dt * (4 * share * sum.x + 3 * (share * sum.z - (seen > 0) * own.z) + 60 * share * away.x);
    float vy = own.w + dt * (4 * share * sum.y + 3 * (share * sum.w - (seen > 0) * own.w) + 60 * share * away.y);
    if (fabsf(own.x) > 0.9f) vx -= dt * 6 * own.x;
    if (fabsf(own.y) > 0.9f) vy -= dt * 6 * own.y;
    float faster = 0.5f * rsqrtf(vx * vx + vy * vy + 1e-6f);
    vx *= 1 + dt * (faster - 1);
    vy *= 1 + dt * (faster - 1);
    next[i] = make_float4(own.x + dt * vx, own.y + dt * vy, vx, vy);
}
