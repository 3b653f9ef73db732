// Speed of each body, in the order in which they are in memory.
extern "C" __global__ void nbody_picture(const float4* velocities, float* shown, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 velocity = velocities[i];
    shown[i] = sqrtf(velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z);
}
