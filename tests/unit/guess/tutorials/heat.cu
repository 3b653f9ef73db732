__global__ void heat_step(const float *u, float *u_new, int nx, int ny, float alpha)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) {
        int id = j * nx + i;
        u_new[id] = u[id] + alpha * (u[id - 1] + u[id + 1] + u[id - nx] + u[id + nx] - 4.0f * u[id]);
    }
}
