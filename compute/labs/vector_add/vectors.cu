// The pointers are in a structure in device memory. Copying a structure copies its pointers, not what they point to:
// after a deep copy they point to device memory; after a shallow one they still hold host addresses.
struct Vectors {
    const float* a;
    const float* b;
    float* sum;
    int n;
};

extern "C" __global__ void vector_add_vectors(const Vectors* vectors)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < vectors->n) vectors->sum[i] = vectors->a[i] + vectors->b[i];
}
