// Threads push themselves onto a list. The list is whole, its order is not determined.
extern "C" __global__ void linked_list(int* next, int* head)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    next[i] = atomicExch(head, i);
}

extern "C" __global__ void linked_in_order(int* next, int* head)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    next[i] = i - 1;
    atomicMax(head, i);
}
