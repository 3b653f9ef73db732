// Monte Carlo estimate of pi: darts thrown at a square that hit the circle.
__device__ unsigned int nextRandom(unsigned int& state)
{
    state = state * 1664525u + 1013904223u;
    return state;
}

__global__ void throwDarts(unsigned int* hits, int darts, unsigned int seed)
{
    unsigned int id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int state = seed ^ (id * 747796405u);
    unsigned int mine = 0;
    for (int k = 0; k < darts; ++k) {
        float x = nextRandom(state) * 2.3283064e-10f;
        float y = nextRandom(state) * 2.3283064e-10f;
        if (x * x + y * y < 1.0f) ++mine;
    }
    atomicAdd(hits, mine);
}

int main()
{
    unsigned int* hits;
    cudaMalloc(&hits, sizeof(unsigned int));
    throwDarts<<<16, 128>>>(hits, 50, 1);
}
