// The running sums of numbers that are 1/2 on average, minus the expected sum: a random walk. A tile
// whose sum was lost or added twice would be a step in the curve.
extern "C" __global__ void scan_curve(const float* sums, int count, float2* vertices, int points, float top)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= points) return;
    float along = (float)v / max(points - 1, 1);
    int i = (int)(along * (count - 1));
    float height = (sums[i] - 0.5f * (i + 1)) / top;
    vertices[v] = make_float2(2 * along - 1, fminf(fmaxf(height, -1.0f), 1.0f));
}
