#define SOFTENING 0.01f

__global__ void integrateBodies(float4 *p, float4 *v, float dt, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    float Fx = 0, Fy = 0, Fz = 0;
    for (int j = 0; j < n; j++) {
        float dx = p[j].x - p[i].x;
        float dy = p[j].y - p[i].y;
        float dz = p[j].z - p[i].z;
        float inv = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
        float inv3 = inv * inv * inv;
        Fx += dx * inv3;
        Fy += dy * inv3;
        Fz += dz * inv3;
    }
    v[i].x += dt * Fx;
    v[i].y += dt * Fy;
    v[i].z += dt * Fz;
}
