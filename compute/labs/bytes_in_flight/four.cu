// Four independent loads: four elements of every thread are in flight at once.
constexpr int stretch = 16384; // elements per block

extern "C" __global__ void bytes_in_flight_four(const float* from, float* to, int count)
{
    int begin = blockIdx.x * stretch;
    int end = min(begin + stretch, count);
    for (int i = begin + threadIdx.x; i < end; i += 4 * blockDim.x) {
        if (i + 3 * blockDim.x >= end) { // the last elements, one at a time
            for (; i < end; i += blockDim.x) to[i] = from[i];
            break;
        }
        float a = from[i];
        float b = from[i + blockDim.x];
        float c = from[i + 2 * blockDim.x];
        float d = from[i + 3 * blockDim.x];
        // The thread waits only here.
        to[i] = a;
        to[i + blockDim.x] = b;
        to[i + 2 * blockDim.x] = c;
        to[i + 3 * blockDim.x] = d;
    }
}
