// The machine's global memory: allocations at virtual addresses that depend only on the order of
// the calls, with gaps between them, so that every stray address is noticed and every run sees the
// same ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "compute/simt/machine/windows.h"

namespace lanescope::simt {

struct FreedMemory {
    void operator()(void* memory) const { std::free(memory); }
};

// One live range of global memory. `written` has a bit for each byte of it, 64 bytes a word, while
// uninitialised reads are watched.
struct Allocation {
    Address begin = 0;
    Address end = 0;
    std::byte* host = nullptr;
    std::unique_ptr<std::byte[], FreedMemory> owned; // null when the memory belongs to the host
    std::vector<std::uint64_t> written;
    int number = 0;    // counted from 1 in the order of allocation, on the heap from -1 down
    bool heap = false; // made by a kernel's malloc

    std::size_t bytes() const { return end - begin; }
};

class Memory {
public:
    // Of one of several devices, from 0: addresses of each are apart from all others.
    explicit Memory(bool watch_uninitialised, int device = 0)
        : next_(global_window + static_cast<Address>(device) * device_window), device_(device),
          watch_uninitialised_(watch_uninitialised)
    {
    }
    static constexpr int max_devices = 15;
    int device() const { return device_; }
    // The device whose memory begins below the address; -1: none does.
    static int device_of(Address address)
    {
        if (address < global_window) return -1;
        const Address device = (address - global_window) / device_window;
        return device < max_devices ? static_cast<int>(device) : -1;
    }

    // 256-byte aligned. Addresses are never used again, so that stale pointers are noticed.
    Address allocate(std::size_t bytes);
    // Kernels read and write `host` itself, which must outlive the allocation. Counts as written.
    Address adopt(std::span<std::byte> host);
    // The same where the address is given: memory that host and device call by one address. It must
    // lie in no live allocation.
    void adopt_at(Address begin, std::span<std::byte> host);
    void release(Address begin);
    // For the machine itself: the buffers of the user keep their numbers.
    Address allocate_unnumbered(std::size_t bytes);
    // For kernels: of the device heap, 8 MiB as a GPU's is unless told otherwise. 0 when that is
    // spent, and for no bytes at all.
    Address allocate_heap(std::size_t bytes);
    // False when no live allocation of the heap begins there.
    bool release_heap(Address begin);

    // The allocation that holds the address; null when none does.
    const Allocation* find(Address address) const;
    // The live allocation nearest to a stray address; null when there is none.
    const Allocation* nearest(Address address) const;
    // The heap as it is, and back to it, for states that are saved while a kernel runs; what its
    // allocations hold is not part of it.
    struct Heap {
        Address next = 0;
        int count = 0;
        std::map<Address, std::pair<std::size_t, int>> live; // bytes and number, by begin
    };
    Heap heap() const;
    void restore(const Heap& heap);

    // What was released and held the address; null when none is remembered.
    struct Released {
        Address begin = 0;
        Address end = 0;
        int number = 0;
        bool heap = false;
    };
    const Released* released(Address address) const;
    // Host bytes of a range for copies asked for by the host. Throws LaunchError when it is not
    // inside one allocation.
    std::span<std::byte> range(Address address, std::size_t bytes) const;
    void mark_written(Address address, std::size_t bytes);
    // The bytes `bits` of the 64 from 64 × `cell` on.
    void mark_cell(const Allocation& allocation, std::size_t cell, std::uint64_t bits);
    // Puts back what Allocation::written was, for a live allocation.
    void restore_written(Address begin, const std::vector<std::uint64_t>& written);

    std::vector<const Allocation*> allocations() const;

private:
    Address insert(std::size_t bytes, std::byte* host,
                   std::unique_ptr<std::byte[], FreedMemory> owned);

    std::map<Address, std::unique_ptr<Allocation>> allocations_; // by begin
    std::deque<Released> released_;                              // the latest ones, for messages
    static constexpr Address device_window = Address{1} << 40;
    Address next_;
    int device_;
    int count_ = 0;
    int heap_count_ = 0;
    std::size_t heap_bytes_ = 0; // in use
    bool watch_uninitialised_;
};

} // namespace lanescope::simt
