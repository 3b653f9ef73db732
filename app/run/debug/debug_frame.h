// What a debugger publishes after each move: where a launch stands and all that can be asked there,
// as data that is never changed afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/step_move.h"
#include "compute/simt/debug/views.h"

namespace lanescope::app {

// Which of the two texts is stepped. As written: compiled with -G, every variable, lines in order.
// As optimised: what runs and is counted; lines interleave, and variables are registers.
enum class SteppedText : std::uint8_t { as_written, as_optimised };

// Why the launch stands where it stands.
enum class Stop : std::uint8_t {
    start,      // nothing has been asked yet
    moved,      // what was asked has been done
    breakpoint, // on the way
    fault,      // the next instruction faults
    end,        // of the launch
    begin,      // of the launch, going backwards
    not_found,  // nothing on the way is what was looked for: it stands where it stood
    refused,    // the move makes no sense here; `sentence` says why
    cancelled,
};

// Its name in JSON: "breakpoint".
std::string in_words(Stop stop);

struct Breakpoint {
    int line = 0;
    std::string condition{}; // empty: always
    std::optional<int> warp{};
    std::string problem{}; // why it never stops: no code on the line, no expression
    friend bool operator==(const Breakpoint&, const Breakpoint&) = default;
};

// A lane's bytes of a variable differ from those of the frame before (by variable, then lane).
struct WatchView {
    std::string expression;
    simt::LaneValues values;
    std::string problem; // a sentence in place of values
    std::uint32_t changed = 0;
};

struct DebuggedVariable : simt::VariableView {
    std::uint32_t changed = 0; // lanes whose value is another one than in the frame before
};

// Shared memory as the block has it now.
struct DebuggedArray : simt::SharedArray {
    std::vector<std::byte> contents;
    std::vector<std::uint32_t>
        changed; // byte offsets of 4-byte words that are new since the frame before
};

// The first access of global or shared memory that the warp makes on the line where it stands.
struct LineAccess {
    trace::Site site;              // what makes it; its space is the one that is reached
    trace::WatchedRequest request; // the lanes' addresses; in shared memory from its begin
    std::string memory;            // the array's name; empty: not known
    std::uint64_t begins = 0;      // … and its address
};

struct DebugFrame {
    std::uint64_t number = 0; // counts the frames of this debugger
    std::string problem;      // why there is nothing to step, a sentence with its cure; else empty
    Stop stop = Stop::start;
    std::string sentence; // what happened, for a status line

    // What is stepped.
    std::string lab, variant; // their titles
    std::string kernel;
    SteppedText text = SteppedText::as_written;
    std::string text_note; // why it is not the one that was asked for; else empty
    std::string file;      // of the kernel's source, as messages call it
    std::shared_ptr<const std::string> source;          // the kernel's own text
    std::shared_ptr<const std::string> ptx;             // the whole text that runs
    std::shared_ptr<const std::vector<int>> code_lines; // source lines that have code
    std::int64_t step = 0;                              // of the lab, from 1
    std::string step_note;  // why it is not the one that was asked for; else empty
    std::size_t launch = 0; // of the step, from 0
    std::size_t launches = 1;
    Dim3 grid{}, block_shape{};

    // Where it stands.
    std::uint64_t position = 0; // warp instructions of this launch that have run
    std::uint64_t known = 0;    // how far the launch has been run once
    bool complete = false;      // `known` is its end
    bool at_end = false;
    std::optional<trace::Fault> fault;     // of the next instruction
    std::optional<std::uint64_t> fault_at; // where the launch faults, once it is known
    simt::TimelineMarks marks;
    std::size_t held_bytes = 0;
    bool busy = false; // a move is under way, and a frame will follow

    // At the end of the launch, nothing of what follows.
    Dim3 block{};
    std::uint64_t block_linear = 0;
    int warp = 0;           // that runs next
    int shown = 0;          // whose lanes, registers and variables these are
    simt::CodePlace place;  // of the next instruction of `warp`
    std::uint32_t mask = 0; // the lanes that it runs for
    std::vector<simt::WarpView> warps;
    std::vector<DebuggedVariable> variables; // by the source's names
    std::vector<simt::RegisterView> registers;
    std::vector<std::uint32_t> registers_changed; // parallel: lanes
    std::vector<WatchView> watches;
    std::optional<simt::AddressView> access; // of the next instruction
    std::optional<LineAccess> line_access;   // of `warp`
    std::vector<DebuggedArray> shared;

    std::vector<Breakpoint> breakpoints;
    std::string printed; // by printf, so far
};

// The move for a warp of the block: one that waits for its turn is come to first.
StepMove move_of_warp(const StepMove& move, const DebugFrame& frame, int warp);

} // namespace lanescope::app
