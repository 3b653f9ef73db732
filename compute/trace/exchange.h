// Data exchange within one block: the recorded instructions through which lanes can pass values,
// and the resulting tree of steps in which a lane received another one's value. Derived from
// executed instructions alone, for any kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanescope::trace {

// One executed instruction of a warp, or a barrier of the block.
struct LaneEvent {
    enum class Kind : std::uint8_t {
        load,
        store,
        atomic,    // returns the old value to the lane
        reduction, // returns no result
        shuffle,
        together, // vote, match, redux: each lane of the mask receives data from all the others
        barrier,
    };
    Kind kind = Kind::load;
    bool shared = false;    // shared memory; otherwise global
    int warp = 0;           // index in the block
    std::uint32_t mask = 0; // active lanes; for a barrier, the warps that have arrived
    int width_bytes = 4;    // per lane
    int line = 0;           // source line; 0: unknown
    // Per active lane: the address or, for a shuffle, the source lane.
    std::array<std::uint64_t, 32> of{};
};

// Events of one block of a launch, in the order in which the lockstep machine executed them.
struct LaneRecording {
    std::uint64_t block = 0;    // in: linear block index
    std::size_t max_events = 0; // in: limit, further events are dropped; 0: not requested
    int threads = 0;            // out: threads of the block
    bool complete = true;       // out: nothing was dropped
    std::vector<LaneEvent> events{};

    bool wanted() const { return max_events > 0; }
    // An empty recording of the same block with the same limit, for another launch.
    LaneRecording asked() const { return {.block = block, .max_events = max_events}; }
};

constexpr std::size_t default_max_events = 8192;

// A value passed from one thread of the block to another.
struct PassedValue {
    int from = 0;
    int to = 0;
    int from_row = 0; // row after which `from` had the value; 0: before the first row
    // The block's global stores depend on the value. Conservative: a thread's registers are not
    // distinguished, and in an incomplete recording every value may be used.
    bool used = false;
};

// One step in which values were passed on. Steps without any are omitted.
struct ExchangeRow {
    std::vector<PassedValue> handed;
    std::vector<std::uint32_t> active;   // per warp: participating lanes
    std::vector<std::uint32_t> together; // per warp: lanes that exchanged data all-to-all
    bool after_barrier = false;          // first row after a barrier of the block
    int line = 0;                        // line of the first receiving instruction; 0: unknown
};

struct Exchange {
    int threads = 0;
    std::vector<ExchangeRow> rows; // rows[0] is number 1 in PassedValue::from_row
    // Per thread: words loaded that the block had not written, and words stored to global memory.
    std::vector<std::uint32_t> loaded, stored;
    std::vector<int> stored_after; // per thread: row of its last store; -1: none
    bool complete = true;

    int warps() const { return (threads + 31) / 32; }
};

// Places each row as early as possible: after the rows its values depend on, after the warp's own
// last row, and, at a barrier, after the rows of every warp that arrives there. Consecutive loads
// without a store, shuffle or barrier in between share one row.
Exchange exchange_of(const LaneRecording& recording);

} // namespace lanescope::trace
