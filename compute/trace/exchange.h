// Data exchange: what the lanes of one block did as far as values can pass between them, and what
// follows from it: a tree of steps in which a lane received what another one had. It is derived
// from executed instructions alone, of any kernel.
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
        atomic,    // its result is returned to the lane
        reduction, // it is not
        shuffle,
        together, // vote, match, redux: what each lane of the mask has reaches all of them
        barrier,
    };
    Kind kind = Kind::load;
    bool shared = false;    // of the block's shared memory; else global
    int warp = 0;           // of the block
    std::uint32_t mask = 0; // active lanes; of a barrier, the warps that have arrived
    int width_bytes = 4;    // that a lane moves
    int line = 0;           // of the source; 0: unknown
    // Of active lanes: the address or, of a shuffle, the lane whose value it received.
    std::array<std::uint64_t, 32> of{};
};

// What one block of a launch did, in the order in which the lockstep machine executed it.
struct LaneRecording {
    std::uint64_t block = 0;    // in: linear in the launch
    std::size_t max_events = 0; // in: what is beyond is left out; 0: nothing is wanted
    int threads = 0;            // out: of the block
    bool complete = true;       // out: nothing was left out
    std::vector<LaneEvent> events{};

    bool wanted() const { return max_events > 0; }
    // The same job, of another launch.
    LaneRecording asked() const { return {.block = block, .max_events = max_events}; }
};

constexpr std::size_t usual_events = 8192;

// A value that went from one thread of the block to another.
struct Handed {
    int from = 0;
    int to = 0;
    int from_row = 0; // after which row `from` had it; 0: before the first
    // What the block stored in global memory depends on it, as far as is known: registers of a
    // thread are taken together, and a recording that is not complete leaves everything possible.
    bool used = false;
};

// One step in which something was handed on. Steps in which nothing moves are none.
struct ExchangeRow {
    std::vector<Handed> handed;
    std::vector<std::uint32_t> active;   // by warp: lanes that took part
    std::vector<std::uint32_t> together; // by warp: lanes that each learnt from all of them
    bool after_barrier = false;          // the first one after a barrier of the block
    int line = 0;                        // of the source, of the first that received; 0: unknown
};

struct Exchange {
    int threads = 0;
    std::vector<ExchangeRow> rows; // the first one is number 1 in Handed::from_row
    // By thread: words that it loaded and that the block had not written, and words that it stored
    // in global memory.
    std::vector<std::uint32_t> loaded, stored;
    std::vector<int> stored_after; // by thread: the row after which it last stored; -1: it did not
    bool complete = true;

    int warps() const { return (threads + 31) / 32; }
};

// A row is as early as it can be: behind what its values depend on, behind the warp's own last row
// and behind the rows of all warps that met it at a barrier. Loads that follow each other without a
// store, a shuffle or a barrier are one row.
Exchange exchange_of(const LaneRecording& recording);

} // namespace lanescope::trace
