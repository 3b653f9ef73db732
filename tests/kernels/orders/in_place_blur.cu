// A blur in place: some neighbours are blurred already, others are not.
extern "C" __global__ void in_place_blur(float* line, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < count - 1) line[i] = (line[i - 1] + line[i] + line[i + 1]) / 3;
}

extern "C" __global__ void blur(const float* line, float* out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < count - 1) out[i] = (line[i - 1] + line[i] + line[i + 1]) / 3;
}
