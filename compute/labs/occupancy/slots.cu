// How many blocks fit on a multiprocessor? Each of its four resources sets a limit, and the smallest one applies. A
// block's share is rounded up to the units in which the hardware allocates it.
struct Multiprocessor {
    int threads_per_block, warps, blocks;
    int registers, registers_per_thread, register_unit, partitions, launch_partitions, registers_by_block;
    int shared, shared_per_block, shared_reserved, shared_unit;
};

struct Resource {
    int capacity, taken, asked, fits; // taken and asked: per block
};

__device__ int round_up(int value, int unit)
{
    return (value + unit - 1) / unit * unit;
}

__device__ Resource warp_slots(const Multiprocessor& sm, int threads)
{
    int warps = round_up(threads, 32) / 32;
    return {sm.warps, warps, warps, threads > sm.threads_per_block ? 0 : sm.warps / warps};
}

__device__ Resource register_file(const Multiprocessor& sm, int threads, int registers)
{
    int warps = round_up(threads, 32) / 32;
    int asked = threads * registers;
    if (sm.registers_by_block) { // until 2009
        int taken = round_up(round_up(warps, sm.partitions) * 32 * registers, sm.register_unit);
        return {sm.registers, taken, asked, registers > sm.registers_per_thread ? 0 : sm.registers / taken};
    }
    int per_warp = round_up(32 * registers, sm.register_unit);
    int room = sm.registers / sm.partitions / per_warp * sm.partitions; // warps: each is in one quarter
    bool refused = registers > sm.registers_per_thread ||
                   round_up(warps, sm.launch_partitions) * per_warp > sm.registers;
    return {sm.registers, warps * per_warp, asked, refused ? 0 : room / warps};
}

__device__ Resource shared_memory(const Multiprocessor& sm, int shared)
{
    int taken = round_up(shared + sm.shared_reserved, sm.shared_unit);
    bool refused = taken > sm.shared_per_block + sm.shared_reserved;
    return {sm.shared, taken, shared, refused ? 0 : taken == 0 ? sm.blocks : sm.shared / taken};
}

extern "C" __global__ void occupancy_slots(Multiprocessor sm, int threads, int registers, int shared, Resource* all)
{
    if (threadIdx.x == 0) all[0] = warp_slots(sm, threads);
    if (threadIdx.x == 1) all[1] = {sm.blocks, 1, 1, sm.blocks};
    if (threadIdx.x == 2) all[2] = register_file(sm, threads, registers);
    if (threadIdx.x == 3) all[3] = shared_memory(sm, shared);
}
