// Bitonic, in global memory: a launch compares each key with the one `distance` further on and swaps them if out of
// order. Runs of `size` keys become sorted, up and down in turn. Every launch reads all keys.
extern "C" __global__ void sort_bitonic_global(unsigned* keys, int distance, int size, int count)
{
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= count / 2) return;

    int low = 2 * pair - pair % distance; // lower half of each group of 2 * distance keys
    int high = low + distance;
    bool ascending = (low & size) == 0;
    unsigned a = keys[low];
    unsigned b = keys[high];
    if ((a > b) == ascending) {
        keys[low] = b;
        keys[high] = a;
    }
}
