// Counts the outcomes of each test. Outcomes 0 to 2 come about by taking turns; outcome 3 is the weak one, which no
// order of turns explains.
__device__ int outcome(int test, const int* loaded)
{
    int a = loaded[0], b = loaded[1], c = loaded[2], d = loaded[3];
    if (test == 1) return a + b == 0 ? 3 : 2 * a + b - 1; // neither sees the other's store
    if (test == 2) return 2 * a + b;                      // each sees a store that comes after its load
    if (test == 4) return a && b ? (c ? 2 : 3) : c;       // sees what was passed on, but not its cause
    if (test == 5) return 2 * (a && !b) + (c && !d);      // x before y for one reader, y before x for the other
    return a ? (b ? 2 : 3) : b;                           // sees the later store, but not the earlier one
}

extern "C" __global__ void litmus_count(const int* loaded, int* seen, int instances, int tests)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= instances * tests) return;
    int test = i / instances;
    atomicAdd(&seen[4 * test + outcome(test, &loaded[4 * i])], 1);
}
