// One template for every type; the file instantiates two.
template <typename T>
__global__ void clampValues(T* values, int n, T low, T high)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = values[i] < low ? low : values[i] > high ? high : values[i];
}

template __global__ void clampValues<float>(float*, int, float, float);
template __global__ void clampValues<int>(int*, int, int, int);
