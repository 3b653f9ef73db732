// The loop ends when `i` overflows, which C++ leaves undefined: optimised code need not notice.
extern "C" __global__ void overflow(int* out, int start)
{
    int i = start + threadIdx.x;
    int steps = 0;
    while (i + 1 > i && steps < 10) {
        i = i + 1;
        steps = steps + 1;
    }
    out[threadIdx.x] = steps;
}
