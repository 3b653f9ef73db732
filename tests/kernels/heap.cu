// malloc, new and free in a kernel; another thread reads the memory.
__device__ int* shared_list;

__global__ void heap(int* out)
{
    int* own = new int(threadIdx.x);
    if (threadIdx.x == 0) {
        shared_list = static_cast<int*>(malloc(64 * sizeof(int)));
        for (int i = 0; i < 64; ++i) shared_list[i] = i * i;
    }
    __syncthreads();
    out[threadIdx.x] = *own + shared_list[threadIdx.x];
    __syncthreads();
    delete own;
    if (threadIdx.x == 0) free(shared_list);
}
