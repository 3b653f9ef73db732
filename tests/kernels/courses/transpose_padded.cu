// A transpose through a tile with a padding column.
#define SIDE 32

__global__ void transposeTile(const float* in, float* out, int width, int height)
{
    __shared__ float tile[SIDE][SIDE + 1];
    int x = blockIdx.x * SIDE + threadIdx.x;
    int y = blockIdx.y * SIDE + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    int tx = blockIdx.y * SIDE + threadIdx.x;
    int ty = blockIdx.x * SIDE + threadIdx.y;
    if (tx < height && ty < width)
        out[ty * height + tx] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    const int width = 500, height = 300;
    float *in, *out;
    cudaMalloc(&in, width * height * sizeof(float));
    cudaMalloc(&out, width * height * sizeof(float));
    dim3 block(SIDE, SIDE);
    dim3 grid((width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE);
    transposeTile<<<grid, block>>>(in, out, width, height);
}
