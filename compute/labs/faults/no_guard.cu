// A mistake: whole blocks are launched, the array is not a multiple of them, and nothing stops the surplus threads.
extern "C" __global__ void faults_no_guard(const float* from, float* to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    to[i] = 1 - from[i]; // from[n] belongs to somebody else, or to nobody
}
