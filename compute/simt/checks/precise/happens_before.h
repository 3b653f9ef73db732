// Vector clocks per warp: the happens-before order created by barriers, fences and flags.
//
// Each warp counts ticks; a tick ends at each barrier and fence. An access in a tick happens before
// another warp's access if that warp has learnt of the tick, either at a common barrier or by
// reading (volatile, relaxed, acquire or atomic) what the first warp stored after a fence. The
// reader needs no fence of its own: a load that depends on the flag can't be issued before it, and
// common idioms (the last block of a reduction) omit it.
//
// Nor does a read need a fence in order to happen before another block's write: its value is known
// at the block's next barrier, before the flag is stored. In-place scans rely on this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// Maps a block to the last known tick of each of its warps. A persistent tree of immutable nodes:
// adding a block copies one path and shares the rest.
struct Knowledge;
using SharedKnowledge = std::shared_ptr<const Knowledge>; // null: nothing known
struct Knowledge {
    static constexpr std::size_t children = 16;
    int level = 0; // 0: a leaf for one block; otherwise 16^level blocks
    std::array<SharedKnowledge, children> below;
    std::vector<std::uint32_t> ticks; // leaf: indexed by warp
};

// Knowledge that a store after a fence passes to its readers.
struct Released {
    std::uint64_t block = 0;
    SharedKnowledge to_block;  // released by fences of any scope, for warps of the same block
    SharedKnowledge to_device; // released by fences of device scope
    SharedKnowledge reads;     // accesses whose reads alone are released, without a fence
};

// Per lane of a warp, a number of meetings: its accesses before that meeting are known.
using LaneTimes = std::array<std::uint32_t, warp_lanes>;

class HappensBefore {
public:
    void block_begins(const Block& block);
    void block_ends(const Block& block);
    bool runs(std::uint64_t block) const { return blocks_.contains(block); }
    void barrier(const Block& block, const Barrier& barrier);
    struct Fence {
        bool everywhere; // its scope is wider than the block
        bool sequential; // fence.sc or membar
    };
    void fence(const Block& block, int warp, Fence fence);

    // A fence between the generic and the asynchronous proxy, for shared memory.
    void proxy_fence(const Block& block, int warp);
    // Returns true if such a fence has followed that tick of the warp.
    bool is_proxy_fenced(const Block& block, int warp, std::uint32_t tick) const;
    // Bulk copies that complete on one mbarrier count ticks like a warp, with a number above those
    // of the block's warps. The warp has waited for the copies up to that tick.
    void learn(const Block& block, int warp, int copier, std::uint32_t tick);

    // Knowledge released by the warp's last fences; empty if there was none.
    Released released(const Block& block, int warp) const;
    bool has_fenced(const Block& block, int warp) const;
    // Combines the knowledge released by a flag with that released by a
    // later atomic update of the flag.
    static Released both(const Released& flag, const Released& update);
    void acquire(const Block& block, int warp, const Released& released);
    // Accesses before the block's last barrier, whose reads a flag passes on without a fence.
    SharedKnowledge completed_reads(const Block& block, int warp);

    // Barrier of a cluster. reported() returns everything that happens before the warp's next
    // access, its own accesses included; learn() makes it happen before another warp's next access.
    SharedKnowledge reported(const Block& block, int warp);
    void learn(const Block& block, int warp, const SharedKnowledge& news);
    static SharedKnowledge together(SharedKnowledge a, SharedKnowledge b);

    std::uint32_t tick(const Block& block, int warp) const;
    // Returns true if that tick of the other warp happens before the warp's next access.
    bool knows(const Block& block, int warp, std::uint64_t other_block, int other_warp,
               std::uint32_t tick) const;
    // Same for a read by another block, which happens before the warp's next store.
    bool knows_read(const Block& block, int warp, std::uint64_t other_block, int other_warp,
                    std::uint32_t tick) const;
    // Order between lanes of one warp. They meet at a __syncwarp() or a barrier: their accesses
    // before a meeting happen before those after it. `lanes` includes lanes that have exited.
    void meet(const Block& block, int warp, std::uint32_t lanes);
    std::uint32_t meetings(const Block& block, int warp) const;
    // Returns true if all of `lanes` have met since meeting number `since`.
    bool met(const Block& block, int warp, std::uint32_t since, std::uint32_t lanes) const;

    // Order between single lanes of one warp, as a lock makes it that they take one by one: a lane
    // sets a flag after a fence, and another lane reads it. Fences of whole warps do not count.
    void lanes_fence(const Block& block, int warp, std::uint32_t lanes);
    bool any_lane_fenced(const Block& block, int warp) const;
    // Returns the times released by the lane's last fence; null: none.
    const LaneTimes* released_by_lane(const Block& block, int warp, int lane) const;
    void acquire_by_lane(const Block& block, int warp, int lane, const LaneTimes& released);
    // Returns true if all of `lanes` know the accesses of `others` after meeting number `since`.
    bool handed_over(const Block& block, int warp, std::uint32_t since, std::uint32_t others,
                     std::uint32_t lanes) const;

    // Number of completed barriers of the whole block.
    std::uint64_t rounds(const Block& block) const;

private:
    struct WarpClock {
        std::uint32_t tick = 1;
        std::vector<std::uint32_t> known;    // ticks of the block's warps
        SharedKnowledge foreign;             // ticks of other blocks; null: none
        SharedKnowledge reads;               // ticks of other blocks whose reads are over
        SharedKnowledge to_block, to_device; // the warp's knowledge at its last fences
        // Same for sequential fences, including those of warps met at barriers.
        // Sequential fences have a total order, so a flag stored after the barrier passes
        // all of them on to its readers.
        SharedKnowledge sequential_to_block, sequential_to_all;
        SharedKnowledge acquired;       // knowledge acquired last; already merged into `foreign`
        SharedKnowledge acquired_reads; // same for `reads`
        std::uint32_t meetings = 0;
        std::uint32_t last_full_meeting = 0; // number of the last meeting of all lanes
        std::vector<std::pair<std::uint32_t, std::uint32_t>>
            later_meetings; // later meetings, with their lanes
        // Indexed by lane; empty until lanes fence apart from each other.
        std::vector<LaneTimes> lanes_know, lanes_release;
    };
    struct BlockClock {
        std::vector<WarpClock> warps;
        std::vector<std::uint32_t> proxy_fenced; // indexed by warp: ticks before a proxy fence
        std::uint64_t rounds = 0;
    };
    // Cached, because most accesses come from the same block as the one before.
    BlockClock& clock(const Block& block)
    {
        if (recent_ == nullptr || recent_block_ != block.linear) {
            recent_ = &blocks_.at(block.linear);
            recent_block_ = block.linear;
        }
        return *recent_;
    }
    const BlockClock& clock(const Block& block) const
    {
        return recent_ != nullptr && recent_block_ == block.linear ? *recent_
                                                                   : blocks_.at(block.linear);
    }

    std::map<std::uint64_t, BlockClock> blocks_; // running blocks
    BlockClock* recent_ = nullptr;               // most recently used block
    std::uint64_t recent_block_ = 0;
};

} // namespace lanescope::simt
