// Two blocks of 64 threads match the data exactly, so no size is passed.
__global__ void squares(int* out)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    out[id] = id * id;
}

int main()
{
    int* out;
    cudaMalloc(&out, 128 * sizeof(int));
    squares<<<2, 64>>>(out);
    cudaDeviceSynchronize();
}
