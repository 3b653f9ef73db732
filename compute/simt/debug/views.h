// Description of a position in a launch, as self-contained data: code locations, lanes and paths,
// values, and the marks on the timeline bar.
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
    std::string function; // name in the source
    std::string file;     // empty if the PTX has no line info
    int line = 0;
    int ptx_line = 0;
    std::string ptx; // text of the instruction
};

enum class LaneState : std::uint8_t {
    runs,  // on the path that runs next
    ready, // on another runnable path
    waits, // at a reconvergence point, a barrier or a warp-wide instruction
    exited,
    missing, // the block has no such thread
};

// Lanes of a warp at the same instruction.
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
    std::vector<PathView> paths;        // in order; the one that runs next is first
    std::uint64_t instructions = 0;     // executed by the warp so far
    bool finished = false;
    std::string words; // "waits at a barrier, line 15": short text for a list of warps
};

struct RegisterView {
    std::string name; // including the '%'
    ptx::Type type = ptx::Type::none;
    std::array<std::uint64_t, warp_lanes> lanes{}; // bits; 0 or 1 for predicates
    std::uint32_t lanes_with = 0;                  // lanes in which the value is still live
};

struct VariableView {
    std::string name;
    LaneValues values;
    bool is_parameter = false;
    int line = 0; // line of its declaration
};

// Addresses that the next instruction will access.
struct AddressView {
    trace::Op op = trace::Op::load;
    ptx::Space space = ptx::Space::none; // none: generic
    int width_bytes = 0;
    std::uint32_t mask = 0;
    std::array<std::uint64_t, warp_lanes> lanes{}; // valid for lanes in `mask`
};

// An array in shared memory.
struct SharedArray {
    std::string name; // name in the source
    std::uint64_t offset = 0;
    std::size_t bytes = 0;
    TypePointer type; // null if there is no -G text
};

// Events in one of the equal parts of a launch, for the timeline bar.
struct TimelineBin {
    bool barrier = false;    // a barrier was completed
    bool divergence = false; // a branch diverged
    bool block = false;      // a block began
};

// The part of the launch executed so far: bins of `width` instructions, starting at position 0.
struct TimelineMarks {
    static constexpr std::size_t max_bins = 2048;
    std::uint64_t width = 1;
    std::vector<TimelineBin> bins;
};

// Lanes of a mask as text: "0–15, 20".
std::string format_lanes(std::uint32_t mask);

} // namespace lanescope::simt
