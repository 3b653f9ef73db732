// Matrix edges: a tiled product of matrices whose size is not a multiple of the tile. The last tiles extend past the edge,
// and a warp with lanes on both sides of the edge diverges when it loads.
constexpr int tile = 16;

extern "C" __global__ void divergence_matrix_edges(const float* a, const float* b, float* product, int size)
{
    __shared__ float of_a[tile][tile];
    __shared__ float of_b[tile][tile];

    int row = blockIdx.y * tile + threadIdx.y;
    int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int phase = 0; phase < size; phase += tile) {
        of_a[threadIdx.y][threadIdx.x] = 0;
        of_b[threadIdx.y][threadIdx.x] = 0;
        if (row < size && phase + threadIdx.x < size)
            of_a[threadIdx.y][threadIdx.x] = a[row * size + phase + threadIdx.x];
        if (phase + threadIdx.y < size && column < size)
            of_b[threadIdx.y][threadIdx.x] = b[(phase + threadIdx.y) * size + column];
        __syncthreads();

        for (int k = 0; k < tile; ++k) sum = fmaf(of_a[threadIdx.y][k], of_b[k][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < size && column < size) product[row * size + column] = sum;
}
