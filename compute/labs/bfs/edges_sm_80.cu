// Edges dealt out: a warp takes 32 vertices and then their edges, 32 at a time, whichever vertices they belong to. No
// lane idles before the last edges, whatever the degrees. Each vertex in the queue must have an edge.
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

extern "C" __global__ void bfs_edges(const int* starts, const int* neighbours, int* reached, int* level,
                                     const int* queue, int* next, int* count, int depth)
{
    int warps = gridDim.x * blockDim.x / 32;
    int lane = threadIdx.x % 32;
    unsigned up_to_me = 0xffffffffu >> (31 - lane);
    for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 32 + lane; i - lane < count[0]; i += 32 * warps) {
        int vertex = i < count[0] ? queue[i] : -1;
        int start = vertex < 0 ? 0 : starts[vertex];
        int degree = vertex < 0 ? 0 : starts[vertex + 1] - start;

        int until = degree; // edges of this lane's vertex and of those in lower lanes
        for (int offset = 1; offset < 32; offset *= 2) {
            int before = __shfl_up_sync(all_lanes, until, offset);
            if (lane >= offset) until += before;
        }
        int total = __shfl_sync(all_lanes, until, 31);
        int from = until - degree;

        int passed = 0; // vertices whose first edge has been dealt
        for (int first = 0; first < total; first += 32) {
            bool begins = degree > 0 && from >= first && from < first + 32;
            unsigned heads = __reduce_or_sync(all_lanes, begins ? 1u << (from - first) : 0);
            int owner = passed + __popc(heads & up_to_me) - 1; // the lane whose vertex has my edge
            passed += __popc(heads);
            int edge = __shfl_sync(all_lanes, start - from, owner) + first + lane;

            int to = first + lane < total ? neighbours[edge] : -1;
            bool is_new = to >= 0 && atomicExch(&reached[to], 1) == 0;
            if (is_new) level[to] = depth + 1;
            append(is_new, to, next, &count[1]);
        }
    }
}
