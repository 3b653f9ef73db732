// Reserved registers that compilers use for cooperative groups. Their values are driver-specific,
// so only values derived from them are stored.
__global__ void reserved(unsigned* out)
{
    unsigned begin, end, cap, environment;
    asm volatile("mov.u32 %0, %%reserved_smem_offset_begin;" : "=r"(begin));
    asm volatile("mov.u32 %0, %%reserved_smem_offset_end;" : "=r"(end));
    asm volatile("mov.u32 %0, %%reserved_smem_offset_cap;" : "=r"(cap));
    asm volatile("mov.u32 %0, %%envreg0;" : "=r"(environment));
    out[threadIdx.x] = (begin <= end) + 2 * (end <= cap) + 4 * (environment == environment);
}
