// Gravity between bodies, one shared-memory tile at a time.
#define TILE 128

__global__ void bodyForces(const float4* bodies, float4* acceleration, int n)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += TILE) {
        int j = first + threadIdx.x;
        tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float s = tile[k].w * inverse * inverse * inverse;
            ax += s * dx, ay += s * dy, az += s * dz;
        }
        __syncthreads(); // all threads have read it
    }
    if (i < n) acceleration[i] = make_float4(ax, ay, az, 0);
}

int main()
{
    int n = 1024;
    float4 *bodies, *acceleration;
    cudaMalloc(&bodies, n * sizeof(float4));
    cudaMalloc(&acceleration, n * sizeof(float4));
    bodyForces<<<n / TILE, TILE>>>(bodies, acceleration, n);
}
