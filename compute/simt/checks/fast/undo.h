// Saved pages of global memory, as they were before any block wrote to them, so that a launch on
// several cores can be undone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "compute/simt/checks/shadow/by_allocation.h"
#include "compute/simt/checks/shadow/cells.h"
#include "compute/simt/machine/state/launch_state.h"

namespace lanescope::simt {

class Undo {
public:
    // Saved pages of one allocation. Their memory becomes resident only where pages are saved.
    struct SavedPages {
        const Allocation* allocation = nullptr;
        std::unique_ptr<std::atomic<std::uint8_t>[]> marks; // 0: unsaved, 1: being saved, 2: saved
        std::unique_ptr<std::byte[], FreedMemory> bytes;
    };

    // Surfaces that the kernel may store to are saved whole.
    explicit Undo(const LaunchState& launch);
    // Returns a stable reference. Thread-safe.
    SavedPages& of(const Allocation& allocation);
    // Saves the page; call before its first write. Thread-safe.
    static void keep(SavedPages& kept, std::uint64_t page);
    // Restores all saved memory.
    void restore();

private:
    std::mutex mutex_; // guards kept_
    ByAllocation<SavedPages> kept_;
    struct Texels {
        std::span<std::byte> place;
        std::vector<std::byte> bytes;
    };
    std::vector<Texels> texels_;
};

} // namespace lanescope::simt
