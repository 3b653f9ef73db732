// What a launch would have to put back: pages of global memory as they were before any block wrote
// to them, kept while blocks run on several cores.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "compute/simt/checks/by_allocation.h"
#include "compute/simt/checks/cells.h"
#include "compute/simt/machine/launch_state.h"

namespace lanescope::simt {

class Undo {
public:
    // Surfaces that the kernel may store to are kept as a whole.
    explicit Undo(const LaunchState& launch);
    // Call before the first write to the page. From any thread.
    void keep(const Allocation& allocation, std::uint64_t page);
    // Puts everything back.
    void restore();

private:
    struct Page {
        const Allocation* allocation;
        std::uint64_t index;
        std::vector<std::byte> bytes;
    };
    struct Marks {
        std::unique_ptr<std::atomic<std::uint8_t>[]> pages; // 0, 1: being kept, 2: kept
    };
    Marks& marks_of(const Allocation& allocation);

    std::mutex mutex_; // of both
    ByAllocation<Marks> marks_;
    std::vector<Page> kept_;
    struct Texels {
        std::span<std::byte> place;
        std::vector<std::byte> bytes;
    };
    std::vector<Texels> texels_;
};

} // namespace lanescope::simt
