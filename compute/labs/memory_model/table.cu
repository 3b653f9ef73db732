// Draws counts of outcomes as a table. A cell has two numbers: its own, and how often the outcome occurred; both are -1
// for an outcome that PTX forbids.
extern "C" __global__ void litmus_table(const int* counts, const int* allowed, int* cells, int tests)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 4 * tests) return;
    int row = tests - 1 - i / 4; // the first test is drawn at the top
    int* cell = &cells[2 * (4 * row + i % 4)];
    cell[0] = allowed[i] ? i : -1;
    cell[1] = allowed[i] ? counts[i] : -1;
}
