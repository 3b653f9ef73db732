// Naive: a thread per body goes through all bodies in global memory, four loads for each. All threads of a warp load the
// same numbers at the same time.
extern "C" __global__ void nbody_naive(const float* bodies, const float* velocities, float* next,
                                       float* next_velocities, int count, float softening, float gain,
                                       float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float x = bodies[4 * i];
    float y = bodies[4 * i + 1];
    float z = bodies[4 * i + 2];

    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < count; ++j) {
        float dx = bodies[4 * j] - x;
        float dy = bodies[4 * j + 1] - y;
        float dz = bodies[4 * j + 2] - z;
        float inverse = rsqrtf(softening + dx * dx + dy * dy + dz * dz);
        float pull = bodies[4 * j + 3] * inverse * inverse * inverse; // mass / distance^3
        ax += pull * dx;
        ay += pull * dy;
        az += pull * dz;
    }
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
