// What a launch would have to put back: pages of global memory as they were before any block wrote
// to them, kept while blocks run on several cores.
#pragma once

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
    // Of one allocation. Its pages lie in a block of memory that gets real only where they are
    // kept.
    struct Kept {
        const Allocation* allocation = nullptr;
        std::unique_ptr<std::atomic<std::uint8_t>[]> marks; // 0, 1: being kept, 2: kept
        std::unique_ptr<std::byte[], FreedMemory> bytes;
    };

    // Surfaces that the kernel may store to are kept as a whole.
    explicit Undo(const LaunchState& launch);
    // Stays where it is. From any thread.
    Kept& of(const Allocation& allocation);
    // Call before the first write to the page. From any thread.
    static void keep(Kept& kept, std::uint64_t page);
    // Puts everything back.
    void restore();

private:
    std::mutex mutex_; // of kept_
    ByAllocation<Kept> kept_;
    struct Texels {
        std::span<std::byte> place;
        std::vector<std::byte> bytes;
    };
    std::vector<Texels> texels_;
};

} // namespace lanescope::simt
