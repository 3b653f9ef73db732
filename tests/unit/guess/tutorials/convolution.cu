// A mask in constant memory slides over the picture.
#define MASK_WIDTH 5
#define MASK_RADIUS (MASK_WIDTH / 2)
__constant__ float mask[MASK_WIDTH * MASK_WIDTH];

__global__ void convolution2D(const float *in, float *out, int width, int height)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= width || row >= height) return;
    float sum = 0;
    for (int j = -MASK_RADIUS; j <= MASK_RADIUS; j++)
        for (int i = -MASK_RADIUS; i <= MASK_RADIUS; i++) {
            int x = col + i, y = row + j;
            if (x >= 0 && x < width && y >= 0 && y < height)
                sum += in[y * width + x] * mask[(j + MASK_RADIUS) * MASK_WIDTH + i + MASK_RADIUS];
        }
    out[row * width + col] = sum;
}
