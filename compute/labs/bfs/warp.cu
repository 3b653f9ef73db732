// Warp per vertex: the lanes take neighbouring edges of one vertex, so that a hub with 100 edges costs four rounds and
// not 100. A vertex with 3 edges leaves 29 lanes idle.
constexpr unsigned all_lanes = 0xffffffff;

// Appends the vertices that the lanes have found, with one atomic per warp. All lanes must call it.
__device__ void append(bool is_new, int vertex, int* next, int* count)
{
    unsigned found = __ballot_sync(all_lanes, is_new);
    if (found == 0) return;
    int lane = threadIdx.x % 32, place = 0;
    if (lane == 0) place = atomicAdd(count, __popc(found));
    place = __shfl_sync(all_lanes, place, 0);
    if (is_new) next[place + __popc(found & ((1u << lane) - 1))] = vertex;
}

extern "C" __global__ void bfs_warp(const int* starts, const int* neighbours, int* reached, int* level,
                                    const int* queue, int* next, int* count, int depth)
{
    int warps = gridDim.x * blockDim.x / 32;
    int lane = threadIdx.x % 32;
    for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < count[0]; i += warps) {
        int vertex = queue[i], end = starts[vertex + 1];
        for (int first = starts[vertex]; first < end; first += 32) {
            int to = first + lane < end ? neighbours[first + lane] : -1;
            bool is_new = to >= 0 && atomicExch(&reached[to], 1) == 0;
            if (is_new) level[to] = depth + 1;
            append(is_new, to, next, &count[1]);
        }
    }
}
