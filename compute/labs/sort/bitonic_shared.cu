// Bitonic, in shared memory: a block keeps 2048 keys there for as many steps as stay within them. Only steps with a
// larger distance need a launch over global memory.
constexpr int tile = 2048;
constexpr int threads = tile / 2;

__device__ void exchange(unsigned* keys, int distance, bool ascending)
{
    int low = 2 * threadIdx.x - threadIdx.x % distance;
    int high = low + distance;
    unsigned a = keys[low];
    unsigned b = keys[high];
    if ((a > b) == ascending) {
        keys[low] = b;
        keys[high] = a;
    }
}

// Sorts each tile, up and down in turn.
extern "C" __global__ void sort_bitonic_tiles(const unsigned* from, unsigned* to)
{
    __shared__ unsigned keys[tile];
    int first = blockIdx.x * tile;
    for (int i = threadIdx.x; i < tile; i += threads) keys[i] = from[first + i];

    for (int size = 2; size <= tile; size *= 2)
        for (int distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            int low = 2 * threadIdx.x - threadIdx.x % distance;
            exchange(keys, distance, ((first + low) & size) == 0);
        }

    __syncthreads();
    for (int i = threadIdx.x; i < tile; i += threads) to[first + i] = keys[i];
}

// The last steps of runs of `size` keys: those whose distance is within a tile.
extern "C" __global__ void sort_bitonic_shared(unsigned* all, int size)
{
    __shared__ unsigned keys[tile];
    int first = blockIdx.x * tile;
    for (int i = threadIdx.x; i < tile; i += threads) keys[i] = all[first + i];

    for (int distance = threads; distance > 0; distance /= 2) {
        __syncthreads();
        exchange(keys, distance, (first & size) == 0);
    }

    __syncthreads();
    for (int i = threadIdx.x; i < tile; i += threads) all[first + i] = keys[i];
}
