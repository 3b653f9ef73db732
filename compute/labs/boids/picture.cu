// Direction of each boid, in the order in which they are in memory: -1 is to the left, 1 to the right.
extern "C" __global__ void boids_picture(const float4* boids, float* shown, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) shown[i] = boids[i].z * rsqrtf(boids[i].z * boids[i].z + boids[i].w * boids[i].w + 1e-6f);
}
