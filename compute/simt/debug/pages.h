// All memory that a launch can write, as pages shared between states: a state stores only pages
// written since the previous one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "compute/simt/machine/state/launch_state.h"

namespace lanescope::simt {

constexpr std::size_t kept_page_bytes = 4096;
using Page = std::array<std::byte, kept_page_bytes>;

// One allocation, or one image.
struct PagedRegion {
    Address begin = 0; // for an image: a virtual position above all allocations
    std::size_t bytes = 0;
    std::vector<std::shared_ptr<const Page>> pages;
};

struct MemoryState {
    Memory::Heap heap;
    DeviceLaunches launches;          // requested by the launch so far
    std::vector<PagedRegion> regions; // allocations by address, then images by handle
};

// A page: its region's start address and its index in the region.
struct PageId {
    Address region = 0;
    std::uint32_t page = 0;
    friend auto operator<=>(const PageId&, const PageId&) = default;
};

class PagedMemory {
public:
    explicit PagedMemory(const LaunchState& launch) : launch_(launch) {}

    std::size_t bytes() const; // total of all live regions
    // Captures memory. It must equal `before` except in the pages in `written` (null: may differ
    // anywhere). Those pages are copied; if `compare` is set, only where they really differ.
    MemoryState capture(const MemoryState* before, const std::vector<PageId>* written,
                        bool compare) const;
    // Restores memory. It must equal `now` except in the pages in `written`; null: it may differ
    // anywhere.
    void restore(const MemoryState& state, const MemoryState* now,
                 const std::vector<PageId>* written) const;
    // Pages that differ between the two.
    static std::vector<PageId> difference(const MemoryState& a, const MemoryState& b);
    // Bytes of `state` that are not shared with `other`.
    static std::size_t own_bytes(const MemoryState& state, const MemoryState* other);

    // Reads memory in that state. Returns false if the address was not mapped.
    static bool read(const MemoryState& state, Address address, std::span<std::byte> to);
    static bool read(const MemoryState& state, Address region, std::uint64_t offset,
                     std::span<std::byte> to);

    // Position of a surface, as in PagedRegion::begin. 0: no such surface.
    Address image_region(std::uint64_t handle) const;

private:
    struct Live {
        Address begin;
        std::span<std::byte> bytes;
    };
    std::vector<Live> live() const;

    const LaunchState& launch_;
};

} // namespace lanescope::simt
