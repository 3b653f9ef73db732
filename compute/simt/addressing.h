// From a memory instruction to host memory: the lanes' addresses, the space they reach, and the proof that every
// active lane stays inside something live.
#pragma once

#include <cstdint>

#include "compute/simt/executor.h"

namespace lanescope::simt {

// The addresses of one warp access, in the space's own addresses. Inactive lanes hold anything.
struct Addresses {
    alignas(64) std::array<std::uint64_t, warp_lanes> lane;
    std::uint64_t low = 0;  // first byte touched by an active lane
    std::uint64_t high = 0; // behind the last
    bool strided = false;   // all 32 lanes, one behind the other
};

// Where the lanes' bytes are: lane i at base + offsets[i].
struct Reach {
    std::byte* base = nullptr;
    const std::uint64_t* offsets = nullptr;
    bool strided = false; // as in Addresses; offsets[0] is then the lowest
    const Allocation* allocation = nullptr;
};

void form_addresses(Executor& executor, const Access& access, std::uint32_t mask, Addresses& addresses);

// Checks alignment and bounds; throws KernelFault for the lowest lane that is wrong.
Reach reach(Executor& executor, const Instruction& instruction, const Access& access, ptx::Space space,
            const Addresses& addresses, std::uint32_t mask);

// Tells the observers.
void observe(Executor& executor, const Instruction& instruction, const Access& access, ptx::Space space,
             const Addresses& addresses, std::uint32_t mask, const Reach& reached);

// Calls use(space, addresses, mask) for the space of the access; a generic access is taken apart by the spaces that
// its lanes reach, lowest lane first.
template <class Use>
void for_each_space(const Access& access, Addresses& addresses, std::uint32_t mask, Use use);

// The lanes of `mask` whose generic address lies in the same space as the lowest lane's; their addresses become the
// space's own.
std::uint32_t take_space(Addresses& addresses, std::uint32_t mask, int width_bytes, ptx::Space& space);

template <class Use>
void for_each_space(const Access& access, Addresses& addresses, std::uint32_t mask, Use use)
{
    if (access.space != ptx::Space::none) {
        use(access.space, addresses, mask);
        return;
    }
    while (mask != 0) {
        ptx::Space space = ptx::Space::none;
        const std::uint32_t same = take_space(addresses, mask, access.width_bytes, space);
        use(space, addresses, same);
        mask &= ~same;
    }
}

} // namespace lanescope::simt
