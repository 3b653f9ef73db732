// From a memory instruction to host memory: the lanes' addresses, the space they reach, and the
// check that every active lane stays inside a live allocation.
#pragma once

#include <cstdint>

#include "compute/simt/machine/state/executor.h"
#include "compute/simt/operations/lanes/row_addresses.h"

namespace lanescope::simt {

// Host addresses of the lanes: lane i is at base + offsets[i].
struct Reach {
    std::byte* base = nullptr;
    const std::uint64_t* offsets = nullptr;
    bool contiguous = false; // as in Addresses; offsets[0] is then the lowest
    const Allocation* allocation = nullptr;

    // Strided accesses: address of the first lane.
    std::byte* first() const
    {
        return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) + offsets[0]);
    }
};

void form_addresses(Executor& executor, const Access& access, std::uint32_t mask,
                    Addresses& addresses);

// Checks alignment and bounds; throws KernelFault for the lowest lane that fails.
Reach reach(Executor& executor, const Instruction& instruction, const Access& access,
            ptx::Space space, const Addresses& addresses, std::uint32_t mask);

// Result of reach_group(): the same as Reach, from the cached addresses of the access's group.
struct GroupReach {
    AddressGroup* group = nullptr;
    std::uint64_t shift = 0;   // distance from the group's addresses to those of this access
    std::byte* base = nullptr; // lane i is at base + group->at.lane[i] + shift
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

// Returns false if the access needs reach(): misaligned, or outside the allocation it hit last.
bool reach_group(Executor& executor, const Access& access, std::uint32_t mask, GroupReach& found);
// Checks the bounds of all loads of the batch that starts with this access. If that fails, each
// load is checked individually.
void begin_batch(Executor& executor, const Access& access, std::uint32_t mask);
// Returns true if the access's batch is in bounds, so that its group holds the host address.
inline bool batch_in_bounds(const Executor& executor, const AddressGroup& group)
{
    return group.batch_entered == executor.entered;
}
void observe_batch(Executor& executor, const Access& access, std::uint32_t mask);
// The event of an access that a group has reached.
AccessEvent group_event(const Instruction& instruction, const Access& access, std::uint32_t mask,
                        const GroupReach& found);
void observe_group(Executor& executor, const Instruction& instruction, const Access& access,
                   std::uint32_t mask, const GroupReach& found);

// Reports the access to the observers.
void observe(Executor& executor, const Instruction& instruction, const Access& access,
             ptx::Space space, const Addresses& addresses, std::uint32_t mask,
             const Reach& reached);

// Calls use(space, addresses, mask) for the access's space. A generic access is split by the spaces
// that its lanes reach, and an access to the shared memory of a cluster by blocks
// (Executor::remote), lowest lane first.
template <class Use>
void for_each_space(Executor& executor, const Instruction& instruction, const Access& access,
                    Addresses& addresses, std::uint32_t mask, Use use);

// Returns the lanes of `mask` whose generic address is in the same space as the lowest lane's, and
// converts their addresses to that space.
std::uint32_t resolve_lowest_lane_space(const Executor& executor, Addresses& addresses,
                                        std::uint32_t mask, int width_bytes, ptx::Space& space);

// Returns the lanes of `mask` whose address, relative to the shared window, is in the same block of
// the cluster as the lowest lane's, which Executor::remote becomes. Converts their addresses to
// offsets in its shared memory.
std::uint32_t resolve_lowest_lane_block(Executor& executor, const Instruction& instruction,
                                        Addresses& addresses, std::uint32_t mask, int width_bytes);

// True if one of the lanes may name a block of the cluster by its rank.
inline bool may_name_rank(const Addresses& addresses)
{
    return addresses.high > cluster_bit;
}

// Calls use(Space::shared, addresses, mask) for each block that the lanes reach. The addresses are
// relative to the shared window.
template <class Use>
void for_each_block(Executor& executor, const Instruction& instruction, const Access& access,
                    const Addresses& addresses, std::uint32_t mask, const Use& use)
{
    const struct Own {
        Executor& executor;
        ~Own() { executor.remote = nullptr; }
    } own{executor};
    while (mask != 0) {
        Addresses some = addresses;
        const std::uint32_t same =
            resolve_lowest_lane_block(executor, instruction, some, mask, access.width_bytes);
        use(ptx::Space::shared, some, same);
        mask &= ~same;
    }
}

template <class Use>
void for_each_space(Executor& executor, const Instruction& instruction, const Access& access,
                    Addresses& addresses, std::uint32_t mask, Use use)
{
    if (access.in_cluster || (access.space == ptx::Space::shared && may_name_rank(addresses))) {
        for_each_block(executor, instruction, access, addresses, mask, use);
        return;
    }
    if (access.space != ptx::Space::none) {
        use(access.space, addresses, mask);
        return;
    }
    while (mask != 0) {
        Addresses rest = addresses;
        ptx::Space space = ptx::Space::none;
        const std::uint32_t same =
            resolve_lowest_lane_space(executor, rest, mask, access.width_bytes, space);
        if (space == ptx::Space::shared && may_name_rank(rest))
            for_each_block(executor, instruction, access, rest, same, use);
        else
            use(space, rest, same);
        mask &= ~same;
    }
}

} // namespace lanescope::simt
