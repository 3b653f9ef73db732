// The pointers lie in a structure in device memory. Copying a structure copies its pointers, not what they point at:
// deep, each of them was made to point at device memory; shallow, they still say where the host keeps the data.
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
