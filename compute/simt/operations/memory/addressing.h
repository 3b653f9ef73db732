// From a memory instruction to host memory: the lanes' addresses, the space they reach, and the
// proof that every active lane stays inside something live.
#pragma once

#include <cstdint>

#include "compute/simt/machine/executor.h"
#include "compute/simt/operations/memory/row_addresses.h"

namespace lanescope::simt {

// Where the lanes' bytes are: lane i at base + offsets[i].
struct Reach {
    std::byte* base = nullptr;
    const std::uint64_t* offsets = nullptr;
    bool strided = false; // as in Addresses; offsets[0] is then the lowest
    const Allocation* allocation = nullptr;

    // For strided lanes: where the first one is.
    std::byte* first() const
    {
        return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) + offsets[0]);
    }
};

void form_addresses(Executor& executor, const Access& access, std::uint32_t mask,
                    Addresses& addresses);

// Checks alignment and bounds; throws KernelFault for the lowest lane that is wrong.
Reach reach(Executor& executor, const Instruction& instruction, const Access& access,
            ptx::Space space, const Addresses& addresses, std::uint32_t mask);

// The same for an access with a group, by what is known of the group's addresses.
struct GroupReach {
    AddressGroup* group = nullptr;
    std::uint64_t shift = 0;   // from the group's addresses to this access's
    std::byte* base = nullptr; // lane i at base + group->at.lane[i] + shift
    const Allocation* allocation = nullptr;

    std::byte* shifted() const
    {
        return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) + shift);
    }
    std::byte* first() const
    {
        return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) + shift +
                                            group->at.lane[0]);
    }
};

// False when the access has to be looked at on its own: outside of what it hit last, misaligned.
bool reach_group(Executor& executor, const Access& access, std::uint32_t mask, GroupReach& found);
// Looks at the bounds of all loads of the batch that the access begins. Without success each of
// them has to be looked at on its own.
void begin_batch(Executor& executor, const Access& access, std::uint32_t mask);
// Whether the access's batch was found within bounds, so that its group says where its bytes are.
inline bool in_batch(const Executor& executor, const AddressGroup& group)
{
    return group.batch_entered == executor.entered;
}
void observe_batch(Executor& executor, const Access& access, std::uint32_t mask);
void observe_group(Executor& executor, const Instruction& instruction, const Access& access,
                   std::uint32_t mask, const GroupReach& found);

// Tells the observers.
void observe(Executor& executor, const Instruction& instruction, const Access& access,
             ptx::Space space, const Addresses& addresses, std::uint32_t mask,
             const Reach& reached);

// Calls use(space, addresses, mask) for the space of the access; a generic access is taken apart by
// the spaces that its lanes reach, lowest lane first.
template <class Use>
void for_each_space(const Executor& executor, const Access& access, Addresses& addresses,
                    std::uint32_t mask, Use use);

// The lanes of `mask` whose generic address lies in the same space as the lowest lane's; their
// addresses become the space's own.
std::uint32_t take_space(const Executor& executor, Addresses& addresses, std::uint32_t mask,
                         int width_bytes, ptx::Space& space);

template <class Use>
void for_each_space(const Executor& executor, const Access& access, Addresses& addresses,
                    std::uint32_t mask, Use use)
{
    if (access.space != ptx::Space::none) {
        use(access.space, addresses, mask);
        return;
    }
    while (mask != 0) {
        Addresses rest = addresses;
        ptx::Space space = ptx::Space::none;
        const std::uint32_t same = take_space(executor, rest, mask, access.width_bytes, space);
        use(space, rest, same);
        mask &= ~same;
    }
}

} // namespace lanescope::simt
