// A running mean; a header has the helpers, and a kernel that fills arrays.
#include "course_helpers.h"

__global__ void smooth(const float* row, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (clampedAt(row, i - 1, n) + row[i] + nextOf(row, i)) / 3.0f;
}
