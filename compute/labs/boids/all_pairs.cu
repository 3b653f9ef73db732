// All pairs: a thread per boid looks at all boids to find those within its sight. Boids are x, y and velocity.
extern "C" __global__ void boids_all_pairs(const float4* boids, float4* next, int count, float sight,
                                           float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 own = boids[i];

    float4 sum = make_float4(0, 0, 0, 0); // ways and velocities of the neighbours
    float2 away = make_float2(0, 0);
    int seen = 0;
    for (int j = 0; j < count; ++j) {
        float4 other = boids[j];
        float dx = other.x - own.x;
        float dy = other.y - own.y;
        float square = dx * dx + dy * dy;
        if (square >= sight * sight || square == 0) continue; // zero: itself
        float push = 1 - sqrtf(square) / sight;
        away.x -= push * dx;
        away.y -= push * dy;
        sum.x += dx;
        sum.y += dy;
        sum.z += other.z;
        sum.w += other.w;
        ++seen;
    }

    // Towards the centre of the neighbours, with their mean velocity, and away from the nearest.
    float share = seen > 0 ? 1.0f / seen : 0;
    float vx = own.z + dt * (4 * share * sum.x + 3 * (share * sum.z - (seen > 0) * own.z) + 60 * share * away.x);
    float vy = own.w + dt * (4 * share * sum.y + 3 * (share * sum.w - (seen > 0) * own.w) + 60 * share * away.y);
    if (fabsf(own.x) > 0.9f) vx -= dt * 6 * own.x; // back from the edge
    if (fabsf(own.y) > 0.9f) vy -= dt * 6 * own.y;
    float faster = 0.5f * rsqrtf(vx * vx + vy * vy + 1e-6f); // speeds tend to 0.5
    vx *= 1 + dt * (faster - 1);
    vy *= 1 + dt * (faster - 1);
    next[i] = make_float4(own.x + dt * vx, own.y + dt * vy, vx, vy);
}
