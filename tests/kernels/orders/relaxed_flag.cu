// The flag is set and read by atomics, which are relaxed: they order nothing but the flag itself.
extern "C" __global__ void relaxed_flag(volatile int* data, int* flag, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        for (int i = 0; i < 32; ++i) data[i] = i + 1;
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        for (int i = 0; i < 32; ++i) out[i] = data[i];
    }
}

extern "C" __global__ void relaxed_flag_fenced(volatile int* data, int* flag, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        for (int i = 0; i < 32; ++i) data[i] = i + 1;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
        for (int i = 0; i < 32; ++i) out[i] = data[i];
    }
}
