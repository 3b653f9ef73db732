// cp.async: copies from global to shared memory are performed no earlier than the wait for them, so
// a kernel that forgets to wait reads stale data, as it may on a GPU.
#include "compute/simt/operations/memory/async_copy.h"

#include <algorithm>
#include <cstring>

#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/memory/addressing.h"

namespace lanescope::simt {

namespace {

// Function::operands of cp.async: values[0] and [1] index the destination and source accesses,
// rows[0] the number of source bytes (optional), rows[1] a predicate that sets the source bytes to
// 0 (optional).

void check(Executor& x, const Instruction& in, const Access& access, ptx::Space space,
           std::uint32_t mask, Addresses& at, bool observed)
{
    form_addresses(x, access, mask, at);
    const Reach found = reach(x, in, access, space, at, mask);
    if (observed) observe(x, in, access, space, at, mask, found);
}

// Number of groups that the lane has committed.
std::uint32_t groups_of(const Warp& warp, std::size_t lane)
{
    return warp.copy_groups.empty() ? 0 : warp.copy_groups[lane];
}

// Performs copies that complete together; most of these have the same source allocation.
class Ending {
public:
    explicit Ending(Executor& x) : x_(x) {}
    void finish(const AsyncCopy& copy)
    {
        std::byte* to = x_.block->shared.data() + copy.to;
        if (copy.source_bytes < copy.bytes) std::memset(to, 0, copy.bytes);
        if (copy.source_bytes != 0) std::memcpy(to, source(copy), copy.source_bytes);
    }

private:
    const std::byte* source(const AsyncCopy& copy)
    {
        const bool here = recent_ != nullptr && copy.from >= recent_->begin &&
                          copy.from < recent_->end && copy.source_bytes <= recent_->end - copy.from;
        if (here) return recent_->host + (copy.from - recent_->begin);
        recent_ = x_.launch.memory.find(copy.from);
        return x_.launch.memory.range(copy.from, copy.source_bytes).data();
    }
    Executor& x_;
    const Allocation* recent_ = nullptr; // source of the last copy
};

constexpr std::size_t max_copies = std::size_t{1} << 16; // outstanding copies per warp

void finish_earliest(Executor& x, std::size_t count)
{
    std::vector<AsyncCopy>& copies = x.warp->copies;
    const auto end = copies.begin() + static_cast<std::ptrdiff_t>(count);
    Ending ending(x);
    for (auto copy = copies.begin(); copy != end; ++copy) ending.finish(*copy);
    copies.erase(copies.begin(), end);
}

Flow copy(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const Operands& operands = x.function->operands[in.extra];
    const Access& target = x.function->accesses[static_cast<std::size_t>(operands.values[0])];
    const Access& source = x.function->accesses[static_cast<std::size_t>(operands.values[1])];
    const bool observed = !x.observers.empty();
    std::array<std::uint32_t, warp_lanes> bytes;
    std::uint32_t reading = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        bytes[lane] = target.width_bytes;
        if (operands.rows[0] != no_row)
            bytes[lane] = std::min<std::uint32_t>(
                bytes[lane], x.row<const std::uint32_t>(operands.rows[0])[lane]);
        if (operands.rows[1] != no_row &&
            (*x.row<const std::uint32_t>(operands.rows[1]) >> lane & 1u) != 0)
            bytes[lane] = 0;
        if (bytes[lane] != 0) reading |= 1u << lane;
    }
    Addresses to;
    check(x, in, target, ptx::Space::shared, mask, to, observed);
    Addresses from;
    if (reading != 0) check(x, in, source, ptx::Space::global, reading, from, observed);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        x.warp->copies.push_back({static_cast<std::uint8_t>(lane), target.width_bytes,
                                  static_cast<std::uint8_t>(bytes[lane]),
                                  groups_of(*x.warp, static_cast<std::size_t>(lane)),
                                  static_cast<std::uint32_t>(to.lane[lane]),
                                  bytes[lane] != 0 ? from.lane[lane] : 0});
    }
    // A loop may never wait for its copies. Performs the earliest ones,
    // since a GPU may do so at any time.
    if (x.warp->copies.size() > max_copies) finish_earliest(x, max_copies / 2);
    return Flow::next;
}

Flow commit(Executor& x, const Instruction&, std::uint32_t mask)
{
    std::vector<std::uint32_t>& groups = x.warp->copy_groups;
    groups.resize(warp_lanes);
    for (; mask != 0; mask &= mask - 1) ++groups[static_cast<std::size_t>(lowest_lane(mask))];
    return Flow::next;
}

// values[0]: number of groups that may stay pending. wait_all also waits for uncommitted copies.
template <bool All>
Flow wait(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const auto allowed = static_cast<std::uint32_t>(x.function->operands[in.extra].values[0]);
    Warp& warp = *x.warp;
    const auto is_due = [&](const AsyncCopy& copy) {
        if ((mask >> copy.lane & 1u) == 0) return false;
        return All || copy.group + allowed < groups_of(warp, copy.lane);
    };
    Ending ending(x);
    for (const AsyncCopy& copy : warp.copies)
        if (is_due(copy)) ending.finish(copy);
    std::erase_if(warp.copies, is_due);
    return Flow::next;
}

} // namespace

void finish_copies(Executor& x, std::uint32_t mask)
{
    const auto is_due = [mask](const AsyncCopy& copy) { return (mask >> copy.lane & 1u) != 0; };
    Ending ending(x);
    for (const AsyncCopy& copy : x.warp->copies)
        if (is_due(copy)) ending.finish(copy);
    std::erase_if(x.warp->copies, is_due);
}

Handlers async_copy_handlers()
{
    return same<copy>();
}
Handlers async_commit_handlers()
{
    return same<commit>();
}
Handlers async_wait_handlers(bool all)
{
    return all ? same<wait<true>>() : same<wait<false>>();
}

} // namespace lanescope::simt
