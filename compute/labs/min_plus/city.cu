// The map of the city: the path lengths from one crossing to all others, a row of the matrix.
extern "C" __global__ void min_plus_city(const float* ways, float* city, int crossings)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < crossings) city[c] = ways[c];
}
