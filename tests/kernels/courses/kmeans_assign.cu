// Each point gets the nearest of eight centroids, kept in shared memory.
#define K 8
struct Point2 { float x, y; };
__global__ void assign(const Point2 *points, const Point2 *centroids, int *label, int n)
{
    __shared__ Point2 c[K];
    if (threadIdx.x < K) c[threadIdx.x] = centroids[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = 1e30f;
    int who = 0;
    for (int k = 0; k < K; k++) {
        float dx = points[i].x - c[k].x, dy = points[i].y - c[k].y;
        float d = dx * dx + dy * dy;
        if (d < best) { best = d; who = k; }
    }
    label[i] = who;
}
