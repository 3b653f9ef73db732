// The same calculation for every block size and register count at once: one thread each. The steps are the point: one more
// register, or one more warp per block, can cost a quarter of the warps.
struct Multiprocessor {
    int threads_per_block, warps, blocks;
    int registers, registers_per_thread, register_unit, partitions, launch_partitions, registers_by_block;
    int shared, shared_per_block, shared_reserved, shared_unit;
};

__device__ int round_up(int value, int unit)
{
    return (value + unit - 1) / unit * unit;
}

__device__ int register_limit(const Multiprocessor& sm, int warps, int registers)
{
    if (registers > sm.registers_per_thread) return 0;
    if (sm.registers_by_block)
        return sm.registers / round_up(round_up(warps, sm.partitions) * 32 * registers, sm.register_unit);
    int per_warp = round_up(32 * registers, sm.register_unit);
    if (round_up(warps, sm.launch_partitions) * per_warp > sm.registers) return 0;
    return sm.registers / sm.partitions / per_warp * sm.partitions / warps;
}

extern "C" __global__ void occupancy_block_sizes(Multiprocessor sm, int shared, float* resident, int columns, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;

    int threads = 8 * (x + 1);   // along x: 8 to 1024
    int registers = 2 * (y + 1); // along y: 2 to 256
    int warps = round_up(threads, 32) / 32;
    int taken = round_up(shared + sm.shared_reserved, sm.shared_unit);

    int blocks = threads > sm.threads_per_block ? 0 : sm.warps / warps;
    blocks = min(blocks, sm.blocks);
    blocks = min(blocks, register_limit(sm, warps, registers));
    if (taken > 0) blocks = min(blocks, sm.shared / taken);
    if (taken > sm.shared_per_block + sm.shared_reserved) blocks = 0;
    resident[y * columns + x] = blocks * warps;
}
