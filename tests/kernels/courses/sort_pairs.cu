// Odd-even sort: swaps neighbours that are out of order.
__global__ void sortPairs(int* values, int n, int phase)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase % 2;
    if (i + 1 < n && values[i] > values[i + 1]) {
        int keep = values[i];
        values[i] = values[i + 1];
        values[i + 1] = keep;
    }
}
