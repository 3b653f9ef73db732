// Two loads: the second is in flight while the thread waits for the first.
constexpr int stretch = 16384; // elements per block

extern "C" __global__ void bytes_in_flight_two(const float* from, float* to, int count)
{
    int begin = blockIdx.x * stretch;
    int end = min(begin + stretch, count);
    for (int i = begin + threadIdx.x; i < end; i += 2 * blockDim.x) {
        if (i + blockDim.x >= end) { // the last elements, one at a time
            for (; i < end; i += blockDim.x) to[i] = from[i];
            break;
        }
        float a = from[i];
        float b = from[i + blockDim.x];
        // The thread waits only here.
        to[i] = a;
        to[i + blockDim.x] = b;
    }
}
