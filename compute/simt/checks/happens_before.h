// Who knows of whose accesses: the order that barriers, fences and flags make, as clocks of warps.
//
// A warp counts its ticks; a tick ends at each barrier and each fence. What a warp did in a tick is
// ordered before another warp's access when that one has learnt of the tick: at a barrier of both,
// or because it has read (volatile, relaxed, acquire or by an atomic) what the first one stored
// behind a fence. The reader needs no fence of its own: a load that depends on the flag cannot be
// issued before it, and the usual idioms (the last block of a reduction) do without.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

// By block, the last tick known of each of its warps: a tree of nodes that never change, so that
// whoever learns of one block more shares all the rest with those who do not know of it.
struct Knowledge;
using SharedKnowledge = std::shared_ptr<const Knowledge>; // null: nothing
struct Knowledge {
    static constexpr std::size_t children = 16;
    int level = 0; // 0: of one block; else of 16^level
    std::array<SharedKnowledge, children> below;
    std::vector<std::uint32_t> ticks; // of one block, by warp
};

// What a store behind a fence tells whoever reads it.
struct Released {
    std::uint64_t block = 0;
    SharedKnowledge to_block; // by fences of any scope, for warps of the same block
    SharedKnowledge to_all;   // by fences of the device's scope
};

class HappensBefore {
public:
    void block_begins(const Block& block);
    void block_ends(const Block& block);
    bool runs(std::uint64_t block) const { return blocks_.contains(block); }
    void barrier(const Block& block, const Barrier& barrier);
    // `everywhere`: not only for the warp's own block.
    void fence(const Block& block, int warp, bool everywhere);

    // What the warp's last fences let it tell; nothing when there was none.
    Released released(const Block& block, int warp) const;
    bool has_fenced(const Block& block, int warp) const;
    // What a flag tells that one warp has set and another one updated.
    static Released both(const Released& flag, const Released& update);
    void acquire(const Block& block, int warp, const Released& released);

    std::uint32_t tick(const Block& block, int warp) const;
    // Whether the warp knows of what another one did in that tick.
    bool knows(const Block& block, int warp, std::uint64_t other_block, int other_warp,
               std::uint32_t tick) const;
    // The same for lanes of one warp: what they did before they met is ordered before what they do
    // behind it. `lanes` with those that have left the kernel.
    void meet(const Block& block, int warp, std::uint32_t lanes);
    std::uint32_t meetings(const Block& block, int warp) const;
    // Whether all of `lanes` have met since the warp had so many meetings.
    bool met(const Block& block, int warp, std::uint32_t since, std::uint32_t lanes) const;

    // How many barriers of the whole block there were.
    std::uint64_t rounds(const Block& block) const;

private:
    struct WarpClock {
        std::uint32_t tick = 1;
        std::vector<std::uint32_t> known; // of the block's warps
        SharedKnowledge foreign;          // of other blocks; null: nothing
        SharedKnowledge to_block, to_all; // as of the last fences
        SharedKnowledge acquired;         // the last news, which are in the two above
        std::uint32_t meetings = 0;
        std::uint32_t all_met = 0; // the last meeting of all lanes
        std::vector<std::pair<std::uint32_t, std::uint32_t>> some_met; // later ones, and whose
    };
    struct BlockClock {
        std::vector<WarpClock> warps;
        std::uint64_t rounds = 0;
    };
    // Most accesses are of the block of the access before.
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

    std::map<std::uint64_t, BlockClock> blocks_; // that run
    BlockClock* recent_ = nullptr;               // one of them
    std::uint64_t recent_block_ = 0;
};

} // namespace lanescope::simt
