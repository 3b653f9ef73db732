// Tells waits and loops that never end from those that only take long: the machine is
// deterministic, so what comes back to a state that it was in, registers and memory alike, will do
// so for ever.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "compute/simt/machine/block.h"
#include "compute/simt/machine/launch_state.h"

namespace lanescope::simt {

class Repeats {
public:
    explicit Repeats(const LaunchState& launch);

    // Whether these blocks have been just so at an earlier call. `blocks` are in the order in which
    // they run.
    bool blocks_repeat(std::span<const Block* const> blocks);
    // The same of them and of all memory. Where nobody else runs, nothing can change then. Looking
    // through memory takes time, so it is done seldom when memory changes and the blocks do not.
    bool all_repeats(std::span<const Block* const> blocks);

private:
    // Of 128 bits, so that two states with the same one do not happen.
    using Fingerprint = std::array<std::uint64_t, 2>;
    Fingerprint of(std::span<const Block* const> blocks) const;
    Fingerprint of_memory() const;

    const LaunchState& launch_;
    bool reads_clocks_ = false; // time passes: no state comes again
    std::uint64_t calls_ = 0;
    Fingerprint kept_{};
    Fingerprint kept_memory_{};
    bool memory_kept_ = false;
    std::uint64_t pause_ = 0; // calls between looks at memory, and those that are left
    std::uint64_t left_ = 0;
};

} // namespace lanescope::simt
