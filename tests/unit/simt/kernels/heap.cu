// Correct and incorrect use of the device heap.
extern "C" __global__ void until_empty(int* count)
{
    int got = 0;
    while (malloc(1 << 20) != nullptr) ++got;
    *count = got;
}

extern "C" __global__ void kept(int** shelf, int* out, int again)
{
    if (again == 0) {
        shelf[threadIdx.x] = new int(static_cast<int>(threadIdx.x) * 3);
    } else {
        out[threadIdx.x] = *shelf[threadIdx.x];
        delete shelf[threadIdx.x];
    }
}

extern "C" __global__ void after_free(int* out)
{
    int* p = static_cast<int*>(malloc(64));
    p[3] = 5;
    const int before = p[3];
    free(p);
    out[0] = before + p[3];
}

extern "C" __global__ void twice(int* out)
{
    int* p = static_cast<int*>(malloc(16));
    free(p);
    out[0] = 1;
    free(p);
}

extern "C" __global__ void free_host_memory(int* out) { free(out); }

extern "C" __global__ void past_the_end(int* out)
{
    int* p = static_cast<int*>(malloc(10 * sizeof(int)));
    p[10] = out[0];
    out[1] = p[10];
}
