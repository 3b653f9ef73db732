// A mistake: whole blocks are launched, the array isn't a multiple of them, and surplus threads aren't stopped.
extern "C" __global__ void faults_no_guard(const float* from, float* to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    to[i] = 1 - from[i]; // from[n] belongs to another array, or to none
}
