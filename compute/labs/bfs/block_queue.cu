// Queue per block: new vertices go to a list in shared memory first. Then one thread reserves room for all of them, and
// the block copies its list. The atomics that remain in global memory are one per block, not one per vertex.
constexpr int room = 1024; // vertices in the block's list

extern "C" __global__ void bfs_block_queue(const int* starts, const int* neighbours, int* reached, int* level,
                                           const int* queue, int* next, int* count, int depth)
{
    __shared__ int list[room], found, place;
    int threads = gridDim.x * blockDim.x;
    for (int first = blockIdx.x * blockDim.x; first < count[0]; first += threads) {
        if (threadIdx.x == 0) found = 0;
        __syncthreads();

        int i = first + threadIdx.x;
        int vertex = i < count[0] ? queue[i] : -1;
        int end = vertex < 0 ? 0 : starts[vertex + 1];
        for (int edge = vertex < 0 ? 0 : starts[vertex]; edge < end; ++edge) {
            int to = neighbours[edge];
            if (atomicExch(&reached[to], 1) == 1) continue;
            level[to] = depth + 1;
            int at = atomicAdd(&found, 1);
            if (at < room) list[at] = to;
            else next[atomicAdd(&count[1], 1)] = to; // the list is full
        }
        __syncthreads();

        int stored = min(found, room);
        if (threadIdx.x == 0) place = atomicAdd(&count[1], stored);
        __syncthreads();
        for (int k = threadIdx.x; k < stored; k += blockDim.x) next[place + k] = list[k];
        __syncthreads(); // before the next round empties the list
    }
}
