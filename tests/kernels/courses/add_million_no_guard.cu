// Adds two vectors of a million elements, as in every first course.
__global__ void addVectors(const float* left, const float* right, float* sum, int count)
{
    int index = threadIdx.x + blockIdx.x * blockDim.x;
    sum[index] = left[index] + right[index];
}

int main()
{
    int count = 1 << 20;
    float *left, *right, *sum;
    cudaMalloc(&left, count * sizeof(float));
    cudaMalloc(&right, count * sizeof(float));
    cudaMalloc(&sum, count * sizeof(float));
    int threads = 256;
    int blocks = (count + threads - 1) / threads;
    addVectors<<<blocks, threads>>>(left, right, sum, count);
    cudaDeviceSynchronize();
    return 0;
}
