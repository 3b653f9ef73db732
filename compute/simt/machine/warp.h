// The state of one warp: its registers as rows of lanes, its call frames, and the tree of paths
// that its lanes have split into. Plain values throughout, so that a copy is a saved state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compute/simt/machine/aligned.h"
#include "compute/simt/machine/program.h"

namespace lanescope::simt {

enum class Wait : std::uint8_t {
    none,
    lanes,   // at a `*.sync` instruction, for the other lanes of its mask
    barrier, // at a barrier of the block
};

// A leaf runs at `pc`. A node waits there until all lanes of `mask` have come back from the paths
// below it.
struct Path {
    int pc = 0;
    int reconvergence = -1; // pc at which the lanes join the parent; -1: they return or exit
    int parent = -1;
    int frame = 0;
    int child_frame = -1;      // a call: the frame to give back when all lanes have returned
    int call = -1;             // a call: index into Function::calls of the frame's function
    std::uint32_t mask = 0;    // lanes that belong here and have not left
    std::uint32_t arrived = 0; // of a node: lanes that are back
    bool counted = false; // the instruction at `pc` is counted already: it only parted its lanes
    bool live = false;
    bool node = false;
    Wait wait = Wait::none;
    std::uint8_t barrier = 0;

    bool runnable() const { return live && !node && wait == Wait::none; }
};

struct Frame {
    const Function* function = nullptr;
    std::uint32_t rows_begin = 0;
    std::uint32_t local_begin = 0;
    bool live = false;
};

// One lane's outstanding cp.async.
struct AsyncCopy {
    std::uint8_t lane = 0;
    std::uint8_t bytes = 0;
    std::uint8_t source_bytes = 0; // the rest becomes zero
    std::uint32_t group = 0;
    std::uint32_t to = 0; // shared address
    Address from = 0;
};

// An arithmetic instruction of a loop with its rows looked up for one warp.
struct Bound {
    RowFunction run = nullptr; // null: not looked up yet
    RowOperands operands;
};

// The bound instructions of one warp's kernel frame; good as long as its rows lie where they were.
// Blocks that take turns keep theirs.
struct Bindings {
    const std::byte* rows = nullptr;
    const std::byte* specials = nullptr;
    std::vector<Bound> instructions;
};

struct Warp {
    int index = 0;
    bool affine_threads = false; // its lanes are neighbours in a row of threads: %tid.x is one more
                                 // from lane to lane, %tid.y and %tid.z are the same
    std::uint32_t lanes = 0;     // that exist
    std::uint32_t exited = 0;    // lanes that do not exist count too
    int current = 0;             // the path that ran last
    std::uint32_t slice_spins =
        0; // accesses in the current slice that look like waiting for another thread
    // Lanes that release_arrived let go on before others of theirs had come.
    std::uint32_t ahead = 0;
    std::vector<Path> paths;
    std::vector<Frame> frames;
    Rows rows;
    Rows specials;
    std::vector<std::byte> local; // lane after lane, local_stride bytes each
    std::uint32_t local_stride = 0;
    std::vector<AsyncCopy> copies;
    std::vector<std::uint32_t> copy_groups; // committed groups, one count a lane; empty: none
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;
    Bindings bindings;

    bool finished() const { return exited == full_mask; }
};

// --- The tree of paths (paths.cpp) ---

// Starts the kernel: one path with all lanes at pc 0.
void begin_paths(Warp& warp);
// The path to run next: the current one if it can, else the newest; -1 when none can.
int choose_path(Warp& warp);
// Some lanes of a path and where they go on.
struct Side {
    int pc = 0;
    std::uint32_t lanes = 0;
    bool counted = false; // as Path has it
};
// Splits the leaf into its sides, which meet at `reconvergence` (-1: when they return or exit).
// Lanes that go on there wait for the others at once. The last side runs first.
void diverge(Warp& warp, int path, std::span<const Side> sides, int reconvergence);
// Lets the leaf's lanes wait for one another at each of these places before its sides part:
// `outer`, innermost first, as far as nobody waits there yet. Gives the leaf that they run in.
int nest(Warp& warp, int path, std::span<const int> outer);
// The leaf's lanes have reached the place where their parent waits.
void join_parent(Warp& warp, int path);
// The leaf's lanes have reached the place `pc`, where a node above their parent waits: they no
// longer belong to those in between. False where no such node waits in their function.
bool join_above(Warp& warp, int path, int pc);
// The lanes leave the path and everything above it, up to but not including `until` (-1: they
// exit).
void leave(Warp& warp, int path, std::uint32_t lanes, int until);
// The node that waits for the call which the path is inside of; -1 in the kernel itself.
int call_node(const Warp& warp, int path);
// A call by all lanes of the leaf: it waits at `return_to`, and a new leaf runs the callee in
// `frame`.
void enter_call(Warp& warp, int path, int frame, int return_to, int call);
// `lanes` of the leaf have returned from the call.
void return_from_call(Warp& warp, int path, std::uint32_t lanes);
// Lets lanes that have waited at a reconvergence point go on without the others. False when there
// are none.
bool release_arrived(Warp& warp);

// --- Call frames (frames.cpp) ---

// Makes room for a call; registers start at zero, unless none is read before it is written and
// nobody `looks` at the others. Throws std::length_error when the stack would exceed its limit.
int push_frame(Warp& warp, const Function& function, bool looks = true);
void release_frame(Warp& warp, int frame);

} // namespace lanescope::simt
