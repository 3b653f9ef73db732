// Sorted: boids are copied into the order of their cells first. The lanes of a warp are then in the same cells: they load
// the same neighbours, or those next to each other.
__device__ int cell_of(float at, int side)
{
    return min(max((int)((at + 1) / 2 * side), 0), side - 1);
}

extern "C" __global__ void boids_sort(const float4* boids, const int* starts, const int* ranks, int* order,
                                      float4* sorted, int count, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 own = boids[i];
    int place = starts[cell_of(own.y, side) * side + cell_of(own.x, side)] + ranks[i];
    order[place] = i;
    sorted[place] = own;
}

extern "C" __global__ void boids_sorted(const float4* sorted, const int* order, const int* starts, float4* next,
                                        int count, int side, float sight, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 own = sorted[i];
    int column = cell_of(own.x, side);
    int row = cell_of(own.y, side);

    float4 sum = make_float4(0, 0, 0, 0);
    float2 away = make_float2(0, 0);
    int seen = 0;
    for (int y = max(row - 1, 0); y <= min(row + 1, side - 1); ++y) {
        int end = starts[y * side + min(column + 1, side - 1) + 1];
        for (int k = starts[y * side + max(column - 1, 0)]; k < end; ++k) {
            float4 other = sorted[k];
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
    next[order[i]] = make_float4(own.x + dt * vx, own.y + dt * vy, vx, vy); // back to its own place
}
