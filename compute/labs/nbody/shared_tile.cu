// Shared tile: a block loads 256 bodies at a time into shared memory, one per thread, and all its threads use them from
// there. Still four loads for each body that pulls.
constexpr int tile = 256;

extern "C" __global__ void nbody_shared_tile(const float* bodies, const float* velocities, float* next,
                                             float* next_velocities, int count, float softening,
                                             float gain, float dt)
{
    __shared__ float xs[tile], ys[tile], zs[tile], masses[tile];
    int i = blockIdx.x * tile + threadIdx.x;
    int own = min(i, count - 1); // a thread without a body helps to load
    float x = bodies[4 * own];
    float y = bodies[4 * own + 1];
    float z = bodies[4 * own + 2];

    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < count; first += tile) {
        int j = first + threadIdx.x;
        int loaded = min(j, count - 1);
        xs[threadIdx.x] = bodies[4 * loaded];
        ys[threadIdx.x] = bodies[4 * loaded + 1];
        zs[threadIdx.x] = bodies[4 * loaded + 2];
        masses[threadIdx.x] = j < count ? bodies[4 * loaded + 3] : 0; // without mass, no pull
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < tile; ++k) {
            float dx = xs[k] - x;
            float dy = ys[k] - y;
            float dz = zs[k] - z;
            float inverse = rsqrtf(softening + dx * dx + dy * dy + dz * dz);
            float pull = masses[k] * inverse * inverse * inverse;
            ax += pull * dx;
            ay += pull * dy;
            az += pull * dz;
        }
        __syncthreads();
    }
    if (i >= count) return;
    float vx = velocities[4 * i] + gain * ax;
    float vy = velocities[4 * i + 1] + gain * ay;
    float vz = velocities[4 * i + 2] + gain * az;
    next_velocities[4 * i] = vx;
    next_velocities[4 * i + 1] = vy;
    next_velocities[4 * i + 2] = vz;
    next[4 * i] = x + dt * vx;
    next[4 * i + 1] = y + dt * vy;
    next[4 * i + 2] = z + dt * vz;
    next[4 * i + 3] = bodies[4 * i + 3];
}
