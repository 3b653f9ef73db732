// What is told of a position of a launch, as data that stands for itself: places in the code, lanes
// and paths, values, and what the bar over the launch marks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compute/ptx/instructions/modifiers.h"
#include "compute/simt/debug/values.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

struct CodePlace {
    std::string function; // as the source calls it
    std::string file;     // empty when the PTX has no line info
    int line = 0;
    int ptx_line = 0;
    std::string ptx; // the instruction's text
};

enum class LaneState : std::uint8_t {
    runs,  // with the path that runs next
    ready, // of another path, which can run and will later
    waits, // where its path meets others, at a barrier or at a warp-wide instruction
    exited,
    missing, // the block has no such thread
};

// Lanes of a warp that are at one place.
struct PathView {
    std::uint32_t mask = 0;
    LaneState state = LaneState::ready;
    CodePlace at;
    std::vector<CodePlace> callers;     // innermost first
    const CodePlace& in_source() const; // `at`, or the innermost caller that has a line
    std::string words;                  // "lanes 16–31 wait at line 15 for lanes 0–15"
};

struct WarpView {
    int warp = 0;
    bool runs_next = false;
    std::array<LaneState, warp_lanes> lanes{};
    std::array<int, warp_lanes> path{}; // index into `paths`; -1: exited or missing
    std::vector<PathView> paths;        // the one that runs, or would, first
    std::uint64_t instructions = 0;     // of the warp so far
    bool finished = false;
    std::string words; // "waits at a barrier, line 15", in a word or two for a list of warps
};

struct RegisterView {
    std::string name; // with its '%'
    ptx::Type type = ptx::Type::none;
    std::array<std::uint64_t, warp_lanes> lanes{}; // bits; 0 or 1 for predicates
    std::uint32_t lanes_with = 0;                  // whose value it still is
};

struct VariableView {
    std::string name;
    LaneValues values;
    bool is_parameter = false;
    int line = 0; // where it is declared
};

// The addresses that the next instruction will touch.
struct AddressView {
    trace::Op op = trace::Op::load;
    ptx::Space space = ptx::Space::none; // none: generic
    int width_bytes = 0;
    std::uint32_t mask = 0;
    std::array<std::uint64_t, warp_lanes> lanes{}; // only those of `mask` mean something
};

// An array in shared memory.
struct SharedArray {
    std::string name; // as the source has it
    std::uint64_t offset = 0;
    std::size_t bytes = 0;
    TypePointer type; // null where no -G text says it
};

// What happened in an equal part of a launch, for the bar over it.
struct TimelineBin {
    bool barrier = false;    // one was completed
    bool divergence = false; // a branch parted the lanes of a warp
    bool block = false;      // a block began
};

// The launch so far as it has been run once: bins of `width` instructions from position 0 on.
struct TimelineMarks {
    static constexpr std::size_t max_bins = 2048;
    std::uint64_t width = 1;
    std::vector<TimelineBin> bins;
};

// "0–15, 20": lanes of a mask in words.
std::string format_lanes(std::uint32_t mask);

} // namespace lanescope::simt
