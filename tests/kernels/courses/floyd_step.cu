// Shortest paths through one vertex; main launches it for each vertex.
__global__ void floydWarshall(int *dist, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y;
    if (j >= n) return;
    int through = dist[i * n + k] + dist[k * n + j];
    if (i != k && j != k && through < dist[i * n + j]) dist[i * n + j] = through;
}
int main()
{
    const int n = 200;
    int *d;
    cudaMalloc(&d, n * n * sizeof(int));
    for (int k = 0; k < n; k++) floydWarshall<<<dim3((n + 63) / 64, n), 64>>>(d, n, k);
}
