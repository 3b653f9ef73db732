// State of one warp: registers as rows of lanes, call frames, and the tree of diverged paths. Plain
// values throughout, so that a copy is a saved state.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "compute/simt/machine/state/aligned.h"
#include "compute/simt/machine/state/bulk_copies.h"
#include "compute/simt/machine/state/program.h"

namespace lanescope::simt {

enum class Wait : std::uint8_t {
    none,
    lanes,   // at a `*.sync` instruction, for the other lanes of its mask
    barrier, // at a barrier of the block
    cluster, // at the barrier of the cluster
};

// A leaf runs at `pc`. A node waits at `pc` until all lanes of `mask` have returned from the paths
// below it.
struct Path {
    int pc = 0;
    int reconvergence = -1; // pc at which the lanes join the parent; -1: at return or exit
    int parent = -1;
    int frame = 0;
    int child_frame = -1;      // a call: the frame to release when all lanes have returned
    int call = -1;             // a call: index into Function::calls of the frame's function
    std::uint32_t mask = 0;    // lanes on this path that have not left it
    std::uint32_t arrived = 0; // node: lanes that have returned
    bool counted = false; // the instruction at `pc` was already counted when it split its lanes
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
    // Local memory that alloca has added after the function's variables, per lane, and the maximum
    // that it has been.
    std::array<std::uint32_t, warp_lanes> grown{};
    std::uint32_t max_grown = 0;
    bool live = false;
    // Stack use of the calls that lead to this frame:
    bool recursive = false;
    int caller = -1;                      // index of the calling frame; -1 in the kernel's frame
    std::uint32_t stack_bytes = 0;        // minimum stack size, including this frame's
    std::uint32_t bytes_at_recursion = 0; // stack_bytes of the caller at the first recursive call
};

// One lane's outstanding cp.async.
struct AsyncCopy {
    std::uint8_t lane = 0;
    std::uint8_t bytes = 0;
    std::uint8_t source_bytes = 0; // the remaining bytes are zeroed
    std::uint32_t group = 0;
    std::uint32_t to = 0; // address in shared memory
    Address from = 0;
};

// A warp's part of a wgmma that has not been waited for: it reads shared memory and its
// accumulators, and writes them, at the wait.
struct PendingProduct {
    const Function* function = nullptr; // the kernel
    int pc = 0;
    std::uint32_t group = 0;
    bool adds = false;
    std::uint64_t descriptor_a = 0, descriptor_b = 0;
    struct Extent {
        std::uint32_t low = 0, high = 0;
    };
    std::array<Extent, 2> extents{}; // bytes of shared memory between which a and b are
    std::array<std::array<std::uint32_t, warp_lanes>, 4> a{}; // if a is in registers
};

// Use of wgmma.fence by a warp.
enum class Fenced : std::uint8_t { never, yes, before_wait };

// An arithmetic instruction in a loop, with its row addresses resolved for one warp.
struct Bound {
    RowFunction run = nullptr; // null: not resolved yet
    RowOperands operands;
};

// Resolved instructions of a warp's kernel frame, valid while its rows stay at the same address.
// Each block that takes turns keeps its own.
struct Bindings {
    const std::byte* rows = nullptr;
    const std::byte* specials = nullptr;
    std::vector<Bound> instructions;
};

struct Warp {
    int index = 0;
    bool affine_threads = false; // lanes are consecutive threads in x: %tid.x increases by one per
                                 // lane, %tid.y and %tid.z are constant
    std::uint32_t lanes = 0;     // lanes that exist
    std::uint32_t exited = 0;    // includes lanes that do not exist
    int current = 0;             // index of the path that ran last
    std::uint32_t slice_spins =
        0; // number of accesses in the current slice that look like waiting for another thread
    // Lanes that release_arrived() let continue before the others arrived.
    std::uint32_t ahead = 0;
    std::vector<Path> paths;
    std::vector<Frame> frames;
    Rows rows;
    Rows specials;
    Rows local; // lane by lane, local_stride bytes each
    std::uint32_t local_stride = 0;
    bool grows = false; // alloca has run since the kernel started
    std::vector<AsyncCopy> copies;
    std::vector<std::uint32_t> copy_groups; // committed groups per lane; empty: none
    std::vector<PendingProduct> products;
    std::uint32_t product_groups = 0; // committed groups
    std::uint64_t group_steps = 0;    // wgmma instructions executed
    Fenced fenced = Fenced::never;
    std::uint32_t max_registers = 0;        // as set by setmaxnreg; 0: not set
    std::vector<std::uint32_t> bulk_groups; // same for bulk copies
    ObjectWait object_wait;
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;
    Bindings bindings;

    bool finished() const { return exited == full_mask; }
    void forget_products()
    {
        products.clear();
        product_groups = 0;
        group_steps = 0;
        fenced = Fenced::never;
        max_registers = 0;
    }
};

// --- The tree of paths (paths.cpp) ---

// Starts the kernel: one path with all lanes at pc 0.
void begin_paths(Warp& warp);
// Chooses the path to run next: the current one if runnable, otherwise the newest; -1 if none.
int choose_path(Warp& warp);
// Some lanes of a path, and the pc at which they continue.
struct Side {
    int pc = 0;
    std::uint32_t lanes = 0;
    bool counted = false; // as in Path
};
// Splits a leaf into its sides, which reconverge at `reconvergence` (-1: at return or exit). Lanes
// whose side starts there wait at once. The last side runs first.
void diverge(Warp& warp, int path, std::span<const Side> sides, int reconvergence);
// Makes the leaf's lanes reconverge at each pc in `outer` (innermost first) before it diverges,
// unless a node waits there already. Returns the leaf that runs inside.
int nest(Warp& warp, int path, std::span<const int> outer);
// The leaf's lanes have reached the pc at which their parent waits.
void join_parent(Warp& warp, int path);
// The leaf's lanes have reached `pc`, where a node above their parent waits: they leave the nodes
// in between. Returns false if no such node exists in their function.
bool join_above(Warp& warp, int path, int pc);
// Removes the lanes from the path and all its ancestors up to but not including `until` (-1: they
// exit).
void leave(Warp& warp, int path, std::uint32_t lanes, int until);
// Returns the node of the call that the path is in; -1 in the kernel itself.
int call_node(const Warp& warp, int path);
// Calls a function with all lanes of the leaf: it waits at `return_to`, and a new leaf runs the
// callee in `frame`.
void enter_call(Warp& warp, int path, int frame, int return_to, int call);
// `lanes` of the leaf have returned from the call.
void return_from_call(Warp& warp, int path, std::uint32_t lanes);
// Lets lanes that wait at a reconvergence point continue without the others. Returns false if there
// are none.
bool release_arrived(Warp& warp);

// --- Call frames (frames.cpp) ---

// Pushes a frame for a call. Registers start at zero, unless none is read before it is written and
// `looks` is false. Throws std::length_error if the stack would exceed its limit, or the rows of
// all warps theirs.
int push_frame(Warp& warp, const Function& function, bool looks = true);
void release_frame(Warp& warp, int frame);
// Past the local memory that the frames use; the same offset in every lane's local memory.
std::uint32_t local_end(const Warp& warp);
// Lets a frame use `bytes` more than its function's variables in one lane (alloca). Throws
// std::length_error if the rows of all warps would exceed their limit.
void grow_frame(Warp& warp, Frame& frame, int lane, std::uint32_t bytes);

} // namespace lanescope::simt
