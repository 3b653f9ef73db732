// Indices of 32 bits that exceed them.
extern "C" __global__ void rows(float* matrix, int width)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    matrix[row * width] = 1;
}

extern "C" __global__ void unsigned_rows(unsigned char* bytes, unsigned width)
{
    bytes[threadIdx.x * width + 3] = 1;
}

extern "C" __global__ void plain_sum(unsigned char* bytes, int first)
{
    bytes[first + static_cast<int>(threadIdx.x)] = 1;
}

// The index is right in 64 bits.
extern "C" __global__ void wide_rows(unsigned char* bytes, unsigned width)
{
    bytes[static_cast<size_t>(threadIdx.x) * width + 3] = 1;
}

// A table larger than 2^31 bytes, indexed by a hash that wraps on purpose.
extern "C" __global__ void hashed(unsigned char* table, unsigned mask)
{
    table[(threadIdx.x * 2654435761u) & mask] = 1;
}
