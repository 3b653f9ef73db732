// Segments: a warp takes 32 consecutive entries, like COO. Entries of a row are neighbours, so lanes add them up first
// (a scan that stops where a row begins), and only the last lane of each row adds to memory.
constexpr unsigned all_lanes = 0xffffffff;

extern "C" __global__ void spmv_segments(const int* rows, const int* columns, const float* values,
                                         const float* x, float* y, int entries)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int row = i < entries ? rows[i] : -1;
    float sum = i < entries ? values[i] * x[columns[i]] : 0.0f;

    for (int offset = 1; offset < 32; offset *= 2) {
        float before = __shfl_up_sync(all_lanes, sum, offset);
        int row_before = __shfl_up_sync(all_lanes, row, offset);
        if (lane >= offset && row_before == row) sum += before;
    }
    int next_row = __shfl_down_sync(all_lanes, row, 1);
    bool is_last = lane == 31 || next_row != row;
    if (is_last && i < entries) atomicAdd(&y[row], sum);
}
