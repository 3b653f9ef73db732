// 2 x 2 max pooling; the grid's third axis is the channel.
__global__ void maxPool2(const float *in, float *out, int channels, int h, int w)
{
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    int c = blockIdx.z;
    int oh = h / 2, ow = w / 2;
    if (ox >= ow || oy >= oh) return;
    const float *p = in + (c * h + 2 * oy) * w + 2 * ox;
    float m = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[w], p[w + 1]));
    out[(c * oh + oy) * ow + ox] = m;
}
int main()
{
    int channels = 8, h = 60, w = 90;
    float *in, *out;
    cudaMalloc(&in, channels * h * w * sizeof(float));
    cudaMalloc(&out, channels * (h / 2) * (w / 2) * sizeof(float));
    dim3 block(16, 16), grid((w / 2 + 15) / 16, (h / 2 + 15) / 16, channels);
    maxPool2<<<grid, block>>>(in, out, channels, h, w);
}
