// A 64-bit loop index used as int: the compiler converts from a register wider than the type.
__global__ void wide_index(const float* from, float* to, unsigned long long count)
{
    for (unsigned long long i = threadIdx.x; static_cast<int>(i) < count; i += blockDim.x)
        to[static_cast<int>(i)] = from[static_cast<int>(i)] * 2;
}
