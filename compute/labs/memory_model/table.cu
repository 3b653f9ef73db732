// Draws counts of outcomes as a table; -1 stands for an outcome that PTX forbids.
extern "C" __global__ void litmus_table(const int* counts, const int* allowed, int* cells, int tests)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 4 * tests) return;
    int row = tests - 1 - i / 4; // the first test is drawn at the top
    cells[4 * row + i % 4] = allowed[i] ? counts[i] : -1;
}
