// Segments: with four bodies per thread, 65,536 bodies are only 16,384 threads. So several blocks share the same bodies, and
// each sums up the pulls of one segment of all bodies. A second launch adds the segments and moves the bodies.
constexpr int threads = 128;
constexpr int tile = threads;
constexpr int own_count = 4;

__device__ float plain_rsqrt(float square)
{
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(square));
    return inverse;
}

extern "C" __global__ void nbody_segments(const float4* bodies, float4* sums, int count,
                                          int segment_length, float softening)
{
    __shared__ float4 others[tile];
    int start = blockIdx.x * threads * own_count + threadIdx.x;
    int end = min((blockIdx.y + 1) * segment_length, count);
    float4 own[own_count];
    float3 sum[own_count] = {};
    for (int n = 0; n < own_count; ++n) own[n] = bodies[min(start + n * threads, count - 1)];

    for (int first = blockIdx.y * segment_length; first < end; first += tile) {
        int j = first + threadIdx.x;
        others[threadIdx.x] = j < end ? bodies[j] : make_float4(0, 0, 0, 0);
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
        if (i < count) sums[blockIdx.y * count + i] = make_float4(sum[n].x, sum[n].y, sum[n].z, 0);
    }
}

extern "C" __global__ void nbody_move(const float4* bodies, const float4* velocities,
                                      const float4* sums, float4* next, float4* next_velocities,
                                      int count, int segments, float gain, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float3 sum = make_float3(0, 0, 0);
    for (int s = 0; s < segments; ++s) {
        float4 part = sums[s * count + i];
        sum.x += part.x;
        sum.y += part.y;
        sum.z += part.z;
    }
    float4 body = bodies[i];
    float4 velocity = velocities[i];
    velocity.x += gain * sum.x;
    velocity.y += gain * sum.y;
    velocity.z += gain * sum.z;
    next_velocities[i] = velocity;
    next[i] = make_float4(body.x + dt * velocity.x, body.y + dt * velocity.y, body.z + dt * velocity.z,
                          body.w);
}
