// A histogram of grey levels with one atomic per pixel.
__global__ void histogram(const unsigned char* pixels, int* bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int level = pixels[i];
        atomicAdd(&bins[level], 1);
    }
}

int main()
{
    const int width = 640, height = 480;
    unsigned char* pixels;
    int* bins;
    cudaMalloc(&pixels, width * height);
    cudaMalloc(&bins, 256 * sizeof(int));
    histogram<<<(width * height + 127) / 128, 128>>>(pixels, bins, width * height);
}
