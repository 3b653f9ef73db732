// Four floats at a time.
__global__ void scaleFour(const float* in, float* out, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    float4 v = reinterpret_cast<const float4*>(in)[i];
    reinterpret_cast<float4*>(out)[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}
