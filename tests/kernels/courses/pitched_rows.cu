// Rows allocated with cudaMallocPitch.
__global__ void rows(char *base, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float *row = (float *)(base + y * pitch);
    row[x] = x + y;
}
int main()
{
    char *p;
    size_t pitch;
    int width = 100, height = 60;
    cudaMallocPitch((void **)&p, &pitch, width * sizeof(float), height);
    rows<<<dim3(7, 4), dim3(16, 16)>>>(p, pitch, width, height);
}
