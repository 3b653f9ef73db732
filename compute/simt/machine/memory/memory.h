// Global memory of the machine. Virtual addresses depend only on the order of the calls, with gaps
// between allocations, so stray accesses are caught and every run sees the same addresses.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "compute/simt/machine/memory/windows.h"
#include "compute/simt/machine/memory/zero_pages.h"

namespace lanescope::simt {

// One live range of global memory. `written` has one bit per byte (64 bytes per word) while
// uninitialised reads are checked.
struct Allocation {
    Address begin = 0;
    Address end = 0;
    std::byte* host = nullptr;
    std::unique_ptr<std::byte[], FreedMemory> owned; // null if the memory belongs to the host
    ZeroWords written;
    bool known_whole = false; // all bytes are known to be written
    int number = 0;           // counts up from 1 in allocation order; on the heap down from -1
    bool heap = false;        // allocated by a kernel's malloc

    std::size_t bytes() const { return end - begin; }
};

class Memory {
public:
    // Memory of one of several devices, counted from 0, each with its own address range.
    explicit Memory(bool watch_uninitialised, int device = 0)
        : next_(global_window + static_cast<Address>(device) * device_window), device_(device),
          watch_uninitialised_(watch_uninitialised)
    {
    }
    static constexpr int max_devices = 15;
    int device() const { return device_; }
    // The device whose address range contains the address; -1: none.
    static int device_of(Address address)
    {
        if (address < global_window) return -1;
        const Address device = (address - global_window) / device_window;
        return device < max_devices ? static_cast<int>(device) : -1;
    }

    // 256-byte aligned. Addresses are never reused, so that stale pointers are caught.
    Address allocate(std::size_t bytes);
    // Makes `host` itself visible to kernels; it must outlive the allocation. Counts as written.
    Address adopt(std::span<std::byte> host);
    // Like adopt(), at a given address, for memory with the same address on host and device. The
    // range must not overlap a live allocation.
    void adopt_at(Address begin, std::span<std::byte> host);
    void release(Address begin);
    // For the machine's own use: not numbered among the user's buffers.
    Address allocate_unnumbered(std::size_t bytes);
    // A kernel's malloc: allocates from the device heap (8 MiB by default, as on a GPU). Returns 0
    // if the heap is full or `bytes` is 0.
    Address allocate_heap(std::size_t bytes);
    // cudaLimitMallocHeapSize.
    void set_heap_limit(std::size_t bytes) { heap_limit_ = bytes; }
    std::size_t heap_limit() const { return heap_limit_; }
    // Size of the last request that did not fit in the heap; 0: none.
    std::size_t failed_heap_request() const { return failed_heap_request_; }
    // Returns false if no live heap allocation starts at `begin`.
    bool release_heap(Address begin);

    // The allocation that contains the address; null if none does.
    const Allocation* find(Address address) const;
    // The live allocation nearest to a stray address; null if there is none.
    const Allocation* nearest(Address address) const;
    // Snapshot of the heap's bookkeeping, for states saved while a kernel runs. Excludes the
    // contents of its allocations.
    struct Heap {
        Address next = 0;
        int count = 0;
        std::map<Address, std::pair<std::size_t, int>> live; // size and number, by address
    };
    Heap heap() const;
    void restore(const Heap& heap);

    // A released range that contained the address; null if none is remembered.
    struct Released {
        Address begin = 0;
        Address end = 0;
        int number = 0;
        bool heap = false;
    };
    const Released* released(Address address) const;
    // Host bytes of a range, for copies by the host. Throws LaunchError if the range is not inside
    // one allocation.
    std::span<std::byte> range(Address address, std::size_t bytes) const;
    void mark_written(Address address, std::size_t bytes);
    // Marks bytes as written: bit i of `bits` is byte 64 × `cell` + i.
    void mark_cell(const Allocation& allocation, std::size_t cell, std::uint64_t bits);
    // Same, while other threads mark cells of the allocation.
    void mark_cell_concurrently(const Allocation& allocation, std::size_t cell, std::uint64_t bits);
    // Returns true if all bytes are written, or if uninitialised reads are not checked. Not
    // thread-safe. A true answer is remembered; finding a false one costs reading the bits before
    // the first unwritten byte.
    bool is_written_whole(const Allocation& allocation);
    // Calls use(begin, bytes) for each run of unwritten bytes in the range. Makes no calls if
    // uninitialised reads are not checked.
    template <class Use>
    void for_unwritten(Address address, std::size_t bytes, const Use& use) const;
    // Restores Allocation::written of a live allocation.
    void restore_written(Address begin, const NonzeroPages& written);

    std::vector<const Allocation*> allocations() const;

private:
    Address insert(std::size_t bytes, std::byte* host,
                   std::unique_ptr<std::byte[], FreedMemory> owned);

    std::map<Address, std::unique_ptr<Allocation>> allocations_; // keyed by start address
    std::deque<Released> released_;                              // most recent ones, for messages
    static constexpr Address device_window = Address{1} << 40;
    Address next_;
    int device_;
    int count_ = 0;
    int heap_count_ = 0;
    std::size_t heap_bytes_ = 0; // bytes in use
    std::size_t heap_limit_ = std::size_t{8} << 20;
    std::size_t failed_heap_request_ = 0;
    bool watch_uninitialised_;
};

template <class Use>
void Memory::for_unwritten(Address address, std::size_t bytes, const Use& use) const
{
    const Allocation* const allocation = find(address);
    if (allocation == nullptr || allocation->written.empty()) return;
    const std::uint64_t first = address - allocation->begin;
    const std::uint64_t end = std::min<std::uint64_t>(first + bytes, allocation->bytes());
    const auto cell_of = [&](std::uint64_t at) { return allocation->written[at / 64] >> at % 64; };
    for (std::uint64_t at = first; at < end;) {
        const std::uint64_t written = cell_of(at);
        if ((written & 1) != 0) {
            at += static_cast<std::uint64_t>(std::min(std::countr_one(written), 64));
            continue;
        }
        const std::uint64_t begin = at;
        while (at < end && (cell_of(at) & 1) == 0)
            at += std::min<std::uint64_t>(static_cast<std::uint64_t>(std::countr_zero(cell_of(at))),
                                          64 - at % 64);
        use(allocation->begin + begin, std::min(at, end) - begin);
    }
}

} // namespace lanescope::simt
