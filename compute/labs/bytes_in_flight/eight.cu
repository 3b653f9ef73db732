// Eight loads per thread: as many bytes in flight as with eight times the threads, for a few more registers.
constexpr int stretch = 16384; // elements per block

extern "C" __global__ void bytes_in_flight_eight(const float* from, float* to, int count)
{
    int begin = blockIdx.x * stretch;
    int end = min(begin + stretch, count);
    for (int i = begin + threadIdx.x; i < end; i += 8 * blockDim.x) {
        if (i + 7 * blockDim.x >= end) { // the last elements, one at a time
            for (; i < end; i += blockDim.x) to[i] = from[i];
            break;
        }
        float a = from[i];
        float b = from[i + blockDim.x];
        float c = from[i + 2 * blockDim.x];
        float d = from[i + 3 * blockDim.x];
        float e = from[i + 4 * blockDim.x];
        float f = from[i + 5 * blockDim.x];
        float g = from[i + 6 * blockDim.x];
        float h = from[i + 7 * blockDim.x];
        // The thread waits only here.
        to[i] = a;
        to[i + blockDim.x] = b;
        to[i + 2 * blockDim.x] = c;
        to[i + 3 * blockDim.x] = d;
        to[i + 4 * blockDim.x] = e;
        to[i + 5 * blockDim.x] = f;
        to[i + 6 * blockDim.x] = g;
        to[i + 7 * blockDim.x] = h;
    }
}
