// float4: a body is one load of 16 bytes, from global and from shared memory. The rest stays in registers. rsqrtf() guards
// against denormal numbers; the square of a distance plus softening is never one, so the plain instruction will do.
constexpr int tile = 256;

__device__ float plain_rsqrt(float square)
{
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(square));
    return inverse;
}

extern "C" __global__ void nbody_float4(const float4* bodies, const float4* velocities, float4* next,
                                        float4* next_velocities, int count, float softening, float gain,
                                        float dt)
{
    __shared__ float4 others[tile];
    int i = blockIdx.x * tile + threadIdx.x;
    float4 own = bodies[min(i, count - 1)];

    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < count; first += tile) {
        int j = first + threadIdx.x;
        others[threadIdx.x] = j < count ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < tile; ++k) {
            float4 other = others[k];
            float dx = other.x - own.x;
            float dy = other.y - own.y;
            float dz = other.z - own.z;
            float inverse = plain_rsqrt(softening + dx * dx + dy * dy + dz * dz);
            float pull = other.w * inverse * inverse * inverse;
            ax += pull * dx;
            ay += pull * dy;
            az += pull * dz;
        }
        __syncthreads();
    }
    if (i >= count) return;
    float4 velocity = velocities[i];
    velocity.x += gain * ax;
    velocity.y += gain * ay;
    velocity.z += gain * az;
    next_velocities[i] = velocity;
    next[i] = make_float4(own.x + dt * velocity.x, own.y + dt * velocity.y, own.z + dt * velocity.z,
                          own.w);
}
