// All memory that a launch can write, as pages that states share: a state holds anew only what was
// written since the one before it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "compute/simt/machine/launch_state.h"

namespace lanescope::simt {

constexpr std::size_t kept_page_bytes = 4096;
using Page = std::array<std::byte, kept_page_bytes>;

// One allocation, or one image.
struct PagedRegion {
    Address begin = 0; // of an image: its surface's place among all, which no allocation has
    std::size_t bytes = 0;
    std::vector<std::shared_ptr<const Page>> pages;
};

struct MemoryState {
    Memory::Heap heap;
    DeviceLaunches launches;          // that the launch has asked for so far
    std::vector<PagedRegion> regions; // allocations by address, then images
};

// A page by its region's begin and its number there.
struct PageId {
    Address region = 0;
    std::uint32_t page = 0;
    friend auto operator<=>(const PageId&, const PageId&) = default;
};

class PagedMemory {
public:
    explicit PagedMemory(const LaunchState& launch) : launch_(launch) {}

    std::size_t bytes() const; // of all regions, as they are now
    // `before` is a state that memory differs from in no other pages than `written` (null:
    // anywhere). Those pages are held anew; where `compare` is set, only if they really differ.
    MemoryState capture(const MemoryState* before, const std::vector<PageId>* written,
                        bool compare) const;
    // Puts memory back. `now` is a state that it differs from in no other pages than `written`;
    // null: it may differ anywhere.
    void restore(const MemoryState& state, const MemoryState* now,
                 const std::vector<PageId>* written) const;
    // The pages that are not the same in both.
    static std::vector<PageId> difference(const MemoryState& a, const MemoryState& b);
    // Bytes of `state` that `other` does not share.
    static std::size_t own_bytes(const MemoryState& state, const MemoryState* other);

    // Reads what was at the address in that state. False where nothing was.
    static bool read(const MemoryState& state, Address address, std::span<std::byte> to);
    static bool read(const MemoryState& state, Address region, std::uint64_t offset,
                     std::span<std::byte> to);

    // Of a surface, as PagedRegion has it. 0: no such surface.
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
