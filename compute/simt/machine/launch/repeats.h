// Distinguishes endless waits and loops from long-running ones. The machine is deterministic, so a
// launch that returns to an earlier state (registers and memory) will loop forever.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "compute/simt/machine/state/block.h"
#include "compute/simt/machine/state/launch_state.h"

namespace lanescope::simt {

class Repeats {
public:
    explicit Repeats(const LaunchState& launch);

    // Returns true if these blocks were in exactly this state at an earlier call. `blocks` are in
    // execution order.
    bool blocks_repeat(std::span<const Block* const> blocks);
    // As above, including all memory; if no other block runs, the launch can never progress.
    // Scanning memory takes time, so it backs off when memory changes but the blocks do not.
    bool all_repeats(std::span<const Block* const> blocks);

private:
    // 128 bits, so collisions are negligible.
    using Fingerprint = std::array<std::uint64_t, 2>;
    Fingerprint of(std::span<const Block* const> blocks) const;
    Fingerprint fingerprint_of_memory() const;

    const LaunchState& launch_;
    bool reads_clocks_ = false; // the kernel reads a clock, so states never repeat
    std::uint64_t calls_ = 0;
    Fingerprint kept_{};
    Fingerprint memory_fingerprint_{};
    bool has_memory_fingerprint_ = false;
    std::uint64_t pause_ = 0; // calls between scans of memory, and the number left until the next
    std::uint64_t left_ = 0;
};

} // namespace lanescope::simt
