// Bytes in flight on a multiprocessor: every block keeps some in flight at a time. Little's law says how many are needed:
// latency times bandwidth. Measured on an H200: 797 KiB, that is 6 KiB for each of its 132 multiprocessors.
struct Resource {
    int capacity, taken, asked, fits; // taken and asked: per block
};

extern "C" __global__ void bytes_in_flight_slots(int needed, int in_flight, int shared_memory, int shared, Resource* all)
{
    constexpr int any = 0x7fffffff, reserved = 1024; // bytes per block used by the system
    all[0] = {needed, in_flight, in_flight, any};
    all[1] = {shared_memory, shared + reserved, shared, shared_memory / (shared + reserved)};
}
