// griddepcontrol: waits for the previous grid, of which there is none, and lets the next one start.
__global__ void dependent_grid(int* out)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[threadIdx.x] = threadIdx.x + 1;
    asm volatile("griddepcontrol.launch_dependents;");
}
