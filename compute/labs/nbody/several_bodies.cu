// Several bodies per thread: what a thread loads from shared memory it uses for two or four bodies of its own, so a load
// serves two or four pairs. More sums in registers also hide the latency of each other's arithmetic.
constexpr int threads = 128;
constexpr int tile = threads;

__device__ float plain_rsqrt(float square)
{
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(square));
    return inverse;
}

template <int own_count>
__device__ void step(const float4* bodies, const float4* velocities, float4* next,
                     float4* next_velocities, int count, float softening, float gain, float dt)
{
    __shared__ float4 others[tile];
    int start = blockIdx.x * threads * own_count + threadIdx.x;
    float4 own[own_count];
    float3 sum[own_count] = {};
    for (int n = 0; n < own_count; ++n) own[n] = bodies[min(start + n * threads, count - 1)];

    for (int first = 0; first < count; first += tile) {
        int j = first + threadIdx.x;
        others[threadIdx.x] = j < count ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < tile; ++k) {
            float4 other = others[k];
            for (int n = 0; n < own_count; ++n) {
                float dx = other.x - own[n].x;
                float dy = other.y - own[n].y;
                float dz = other.z - own[n].z;
                float inverse = plain_rsqrt(softening + dx * dx + dy * dy + dz * dz);
                float pull = other.w * inverse * inverse * inverse;
                sum[n].x += pull * dx;
                sum[n].y += pull * dy;
                sum[n].z += pull * dz;
            }
        }
        __syncthreads();
    }
    for (int n = 0; n < own_count; ++n) {
        int i = start + n * threads;
        if (i >= count) break;
        float4 velocity = velocities[i];
        velocity.x += gain * sum[n].x;
        velocity.y += gain * sum[n].y;
        velocity.z += gain * sum[n].z;
        next_velocities[i] = velocity;
        next[i] = make_float4(own[n].x + dt * velocity.x, own[n].y + dt * velocity.y,
                              own[n].z + dt * velocity.z, own[n].w);
    }
}

extern "C" __global__ void nbody_two_bodies(const float4* bodies, const float4* velocities,
                                            float4* next, float4* next_velocities, int count,
                                            float softening, float gain, float dt)
{
    step<2>(bodies, velocities, next, next_velocities, count, softening, gain, dt);
}

extern "C" __global__ void nbody_four_bodies(const float4* bodies, const float4* velocities,
                                             float4* next, float4* next_velocities, int count,
                                             float softening, float gain, float dt)
{
    step<4>(bodies, velocities, next, next_velocities, count, softening, gain, dt);
}
