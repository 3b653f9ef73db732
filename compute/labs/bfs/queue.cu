// Queue: the frontier is a list, so that only threads with a vertex run. A thread that reaches a new vertex appends it
// to the list of the next launch. The atomicExch makes sure that each vertex is appended once.
extern "C" __global__ void bfs_queue(const int* starts, const int* neighbours, int* reached, int* level,
                                     const int* queue, int* next, int* count, int depth)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count[0]; i += threads) {
        int vertex = queue[i];
        for (int edge = starts[vertex]; edge < starts[vertex + 1]; ++edge) {
            int to = neighbours[edge];
            if (atomicExch(&reached[to], 1) == 1) continue;
            level[to] = depth + 1;
            next[atomicAdd(&count[1], 1)] = to;
        }
    }
}
