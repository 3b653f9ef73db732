// Kernels that launch kernels, whose order, errors and counts are compared with the lockstep machine's.

extern "C" __global__ void append(int* list, int value)
{
    if (threadIdx.x == 0) list[atomicAdd(list, 1) + 1] = value;
}

// The tail launch is issued first and runs last; the two in the block's stream keep their order.
extern "C" __global__ void in_order(int* list)
{
    append<<<1, 32, 0, cudaStreamTailLaunch>>>(list, 9);
    append<<<3, 32>>>(list, 2);
    append<<<1, 32>>>(list, 3);
    append<<<1, 32, 0, cudaStreamFireAndForget>>>(list, 5);
}

// list[0]: number of executed grids; list[1]: the error that stopped the recursion.
extern "C" __global__ void deeper(int* list)
{
    atomicAdd(list, 1);
    deeper<<<1, 1>>>(list);
    int error = cudaGetLastError();
    if (error != cudaSuccess) list[1] = error;
}

extern "C" __global__ void waits(int* list)
{
    // Runs long enough that later launches in the stream pile up.
    for (long long begin = clock64(); clock64() - begin < 20000000;) {
    }
    atomicAdd(list, 1);
}

extern "C" __global__ void counts(int* list)
{
    atomicAdd(list, 1);
}

// list[0]: number of executed grids; list[1]: accepted launches; list[2]: the first error.
extern "C" __global__ void too_many(int* list, int count)
{
    int accepted = 0, error = 0;
    waits<<<1, 1>>>(list);
    for (int i = 1; i < count; ++i) {
        counts<<<1, 1>>>(list);
        int found = cudaGetLastError();
        if (found == cudaSuccess)
            ++accepted;
        else if (error == 0)
            error = found;
    }
    list[1] = accepted + 1;
    list[2] = error;
}

extern "C" __global__ void too_wide(int* list)
{
    counts<<<1, 2048>>>(list);
    list[1] = cudaGetLastError();
}

// For counts: grids wider than their parent's, launched recursively.
extern "C" __global__ void tree(int* list, int depth)
{
    atomicAdd(&list[depth], 1);
    if (threadIdx.x < 2 && depth > 0) tree<<<2, 33, 0, cudaStreamFireAndForget>>>(list, depth - 1);
}
