// A polynomial with coefficients in constant memory.
#define DEGREE 4
__constant__ float coefficients[DEGREE + 1];

__global__ void polynomial(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = DEGREE; k >= 0; --k)
        sum = sum * x[i] + coefficients[k];
    y[i] = sum;
}
