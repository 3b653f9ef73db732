// What a multiprocessor has in flight: each of its blocks waits for that many bytes at a time. Little's law says how many it
// takes: the latency times the bandwidth. An H200 was measured to need 797 KiB, 6 KiB for each of its 132 multiprocessors.
struct Resource {
    int capacity, taken, asked, fits; // taken and asked by one block
};

extern "C" __global__ void bytes_in_flight_slots(int needed, int in_flight, int shared_memory, int shared, Resource* all)
{
    constexpr int any = 0x7fffffff, reserved = 1024; // bytes of each block that the system takes
    all[0] = {needed, in_flight, in_flight, any};
    all[1] = {shared_memory, shared + reserved, shared, shared_memory / (shared + reserved)};
}
