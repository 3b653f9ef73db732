// Drawn output: the dwells as numbers for a colour map, and the same with the squares' outlines.
struct Cell {
    int square, level;
};

extern "C" __global__ void dwell_shade(const int* dwells, float* shown, int size)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < size && row < size) shown[row * size + column] = dwells[row * size + column];
}

extern "C" __global__ void dwell_outlines(const int* dwells, const Cell* cells, float* shown, int size, int smallest, int cells_per_row,
                                          float high)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= size || row >= size) return;
    float dwell = dwells[row * size + column];
    int square = cells[row / smallest * cells_per_row + column / smallest].square;
    // Left column and first row of each square: dark on bright, bright on dark.
    bool edge = square >= 0 && (column == square % size || row == square / size);
    shown[row * size + column] = !edge ? dwell : dwell > 0.5f * high ? 0.0f : 0.55f * high;
}
