// Scan: one thread per vertex looks at every level whether its vertex is on the frontier, which is the set of vertices
// that the previous launch reached. Nearly all threads find that it is not, and end. Several threads may reach a vertex
// at once and store the same level; `volatile` makes that a strong access in PTX, so that it is no data race.
extern "C" __global__ void bfs_scan(const int* starts, const int* neighbours, volatile int* level, int vertices,
                                    int depth)
{
    int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= vertices || level[vertex] != depth) return;

    for (int edge = starts[vertex]; edge < starts[vertex + 1]; ++edge) {
        int to = neighbours[edge];
        if (level[to] < 0) level[to] = depth + 1;
    }
}
