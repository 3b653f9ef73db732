// The machine's global memory: allocations at virtual addresses that depend only on the order of
// the calls, with gaps between them, so that every stray address is noticed and every run sees the
// same ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "compute/simt/machine/windows.h"

namespace lanescope::simt {

// One live range of global memory. `written` has a byte for each byte of it while uninitialised
// reads are watched.
struct Allocation {
    Address begin = 0;
    Address end = 0;
    std::byte* host = nullptr;
    std::unique_ptr<std::byte[]> owned; // null when the memory belongs to the host
    std::vector<std::uint8_t> written;
    int number = 0; // counted from 1 in the order of allocation

    std::size_t bytes() const { return end - begin; }
};

class Memory {
public:
    explicit Memory(bool watch_uninitialised) : watch_uninitialised_(watch_uninitialised) {}

    // 256-byte aligned. Addresses are never used again, so that stale pointers are noticed.
    Address allocate(std::size_t bytes);
    // Kernels read and write `host` itself, which must outlive the allocation. Counts as written.
    Address adopt(std::span<std::byte> host);
    void release(Address begin);

    // The allocation that holds the address; null when none does.
    const Allocation* find(Address address) const;
    // The live allocation nearest to a stray address; null when there is none.
    const Allocation* nearest(Address address) const;
    // The number of a buffer that was released and held the address; 0 when none is remembered.
    int released(Address address) const;
    // Host bytes of a range for copies asked for by the host. Throws LaunchError when it is not
    // inside one allocation.
    std::span<std::byte> range(Address address, std::size_t bytes) const;
    void mark_written(Address address, std::size_t bytes);
    // Puts back what Allocation::written was, for a live allocation.
    void restore_written(Address begin, const std::vector<std::uint8_t>& written);

    std::vector<const Allocation*> allocations() const;

private:
    Address insert(std::size_t bytes, std::byte* host, std::unique_ptr<std::byte[]> owned);

    struct Released {
        Address begin = 0;
        Address end = 0;
        int number = 0;
    };

    std::map<Address, std::unique_ptr<Allocation>> allocations_; // by begin
    std::deque<Released> released_;                              // the latest ones, for messages
    Address next_ = global_window;
    int count_ = 0;
    bool watch_uninitialised_;
};

} // namespace lanescope::simt
