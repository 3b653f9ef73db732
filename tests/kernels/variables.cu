// __constant__ and __device__ variables, static ones and one in a namespace, read and written.
__constant__ float coefficients[4];
static __constant__ int shift = 3;
__device__ unsigned hits;
static __device__ double last;
namespace table {
__device__ float weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
}

template <class T>
__global__ void polynomial(const T* x, T* y, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    T sum = 0;
    for (int k = 3; k >= 0; --k) sum = sum * x[i] + coefficients[k];
    y[i] = sum * table::weights[(i + shift) % 8];
    if (sum > 1) atomicAdd(&hits, 1u);
    if (i == count - 1) last = sum;
}
template __global__ void polynomial<float>(const float*, float*, int);
template __global__ void polynomial<double>(const double*, double*, int);
