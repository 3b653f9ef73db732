// The frame a debugger publishes after each move: its position in the launch and everything that
// can be inspected there, as immutable data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/experiment/step_move.h"
#include "compute/simt/debug/views.h"

namespace lanescope::app {

// Which compilation of the kernel is stepped. As written: compiled with -G, so that every variable
// exists and lines run in order. As optimised: the code that runs and is counted, with interleaved
// lines and variables in registers.
enum class SteppedText : std::uint8_t { as_written, as_optimised };

// Why the launch stopped.
enum class Stop : std::uint8_t {
    start,      // no move yet
    moved,      // the move is complete
    breakpoint, // hit during the move
    fault,      // the next instruction faults
    end,        // end of the launch
    begin,      // start of the launch, going backwards
    not_found,  // the target was not found; the position is unchanged
    refused,    // the move is not possible here; `sentence` says why
    cancelled,
};

// Name of the enumerator in JSON: "breakpoint".
std::string stop_reason(Stop stop);

struct Breakpoint {
    int line = 0;
    std::string condition{}; // empty: unconditional
    std::optional<int> warp{};
    std::string problem{}; // why it never stops there: no code on the line, invalid condition
    friend bool operator==(const Breakpoint&, const Breakpoint&) = default;
};

// A watched expression.
struct WatchView {
    std::string expression;
    simt::LaneValues values;
    std::string problem; // an error message in place of values
    std::uint32_t changed = 0;
};

struct DebuggedVariable : simt::VariableView {
    std::uint32_t changed = 0; // lanes whose value changed since the previous frame
};

// The block's shared memory.
struct DebuggedArray : simt::SharedArray {
    std::vector<std::byte> contents;
    std::vector<std::uint32_t>
        changed; // byte offsets of 4-byte words that changed since the previous frame
};

// The first access to global or shared memory on the warp's current line.
struct LineAccess {
    trace::Site site;              // its site, with the space actually accessed
    trace::WatchedRequest request; // the lanes' addresses; offsets for shared memory
    std::string memory;            // name of the array; empty if unknown
    std::uint64_t begins = 0;      // … and its base address
};

struct DebugFrame {
    std::uint64_t number = 0; // number of this frame within the debugger
    std::string problem;      // why nothing can be stepped, and what to do; else empty
    Stop stop = Stop::start;
    std::string sentence; // result of the move, for a status line

    // --- What is stepped ---
    std::string lab, variant; // their titles
    std::string kernel;
    SteppedText text = SteppedText::as_written;
    std::string text_note;                     // why another text than the requested one is
                                               // stepped; else empty
    std::string file;                          // source file, as in messages
    std::shared_ptr<const std::string> source; // the kernel's own text
    std::shared_ptr<const std::string> ptx;    // the complete running text
    std::shared_ptr<const std::vector<int>> code_lines; // source lines with code
    std::int64_t step = 0;                              // step of the lab, from 1
    std::string step_note;  // why another step than the requested one is shown; else empty
    std::size_t launch = 0; // index within the step, from 0
    std::size_t launches = 1;
    Dim3 grid{}, block_shape{};

    // --- The position ---
    std::uint64_t position = 0; // warp instructions of this launch executed so far
    std::uint64_t known = 0;    // furthest position executed so far
    bool complete = false;      // `known` is the end of the launch
    bool at_end = false;
    std::optional<trace::Fault> fault;     // fault of the next instruction
    std::optional<std::uint64_t> fault_at; // position of the launch's fault, once known
    simt::TimelineMarks marks;
    std::size_t held_bytes = 0;
    bool busy = false; // a move is in progress, and another frame will follow

    // The following members are empty at the end of the launch.
    Dim3 block{};
    std::uint64_t block_linear = 0;
    int warp = 0;           // warp that runs next
    int shown = 0;          // warp whose lanes, registers and variables are shown
    simt::CodePlace place;  // next instruction of `warp`
    std::uint32_t mask = 0; // active lanes of that instruction
    std::vector<simt::WarpView> warps;
    std::vector<DebuggedVariable> variables; // by their source names
    std::vector<simt::RegisterView> registers;
    std::vector<std::uint32_t> registers_changed; // changed lanes, one mask per register
    std::vector<WatchView> watches;
    std::optional<simt::AddressView> access; // access of the next instruction
    std::optional<LineAccess> line_access;   // access of the current line of `warp`
    std::vector<DebuggedArray> shared;

    std::vector<Breakpoint> breakpoints;
    std::string printed; // printf output so far
};

// The move for a warp of the block. If the warp is not the next to run, the move first reaches it.
StepMove move_of_warp(const StepMove& move, const DebugFrame& frame, int warp);

} // namespace lanescope::app
