// The context that handlers work on: the running path of the running warp, with the base addresses
// of its rows. One executor per core; it runs one block at a time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compute/simt/machine/state/block.h"
#include "compute/simt/machine/state/launch_state.h"
#include "compute/simt/machine/state/observer.h"
#include "compute/simt/operations/lanes/lane_pattern.h"
#include "compute/thread_time.h"
#include "compute/trace/findings.h"

namespace lanescope::simt {

namespace native {
class FunctionCode;
class Straight;
} // namespace native
class AccessRecorder;
class BarrierWarnings;
class DivisionWarnings;
class LaneRecorder;
class OptimisticChecks;
class Pool;
class TextureWarnings;

// The allocation that an access last hit.
struct Region {
    Address begin = 1;
    Address end = 0;
    std::uintptr_t host = 0; // host address of `begin`
    const Allocation* allocation = nullptr;
};

// Cached address properties of a native-code access whose addresses are computed per eight lanes.
struct OctetGroup {
    const Instruction* instruction = nullptr;
    AddressGroup group;
};

// Addresses of a region's accesses, per eight lanes, at the time when the observer memoised them.
// If all lanes move by a distance that has one of `bits` set, the cost may change.
struct OctetMemo {
    struct Access {
        std::array<std::uint64_t, 4> at;
        std::uint64_t bits;
    };
    std::vector<Access> accesses;                             // empty: nothing is memoised
    std::vector<std::array<std::uint64_t, warp_lanes>> lanes; // accesses with per-lane addresses
    std::uint32_t missed = 0;                                 // consecutive misses
};

struct Executor {
    explicit Executor(const LaunchState& state);
    ~Executor();

    const LaunchState& launch;
    std::vector<Observer*> observers;
    // Per-site counters for native code, used if the only observer just needs the number of uniform
    // branches of full warps. Null if an observer needs each event.
    std::uint64_t* branch_counts = nullptr;
    LaneRecorder* recorder = nullptr;              // the observer that records lanes, or null
    BarrierWarnings* barrier_warnings = nullptr;   // null: not requested
    DivisionWarnings* division_warnings = nullptr; // null: not requested
    TextureWarnings* texture_warnings = nullptr;   // null: not requested
    // Native code: lanes that have divided by zero, by pc of the running function.
    std::vector<std::uint32_t> zero_divisor_lanes;
    Observer* follower = nullptr;       // the observer that may track values, or null
    bool follower_just_started = false; // `follower` has just started to track values
    ThreadWatch since{};                // CPU time of the thread that runs this executor
    // Time that the launch spent before `since`, in an attempt that was undone.
    double earlier_s = 0;
    bool inspects_registers = true; // a caller inspects registers between instructions
    bool whole_batches = false;     // one event per load batch, not per load
    // The last observer if that is OptimisticChecks and no other observer needs every access.
    OptimisticChecks* fast_checks = nullptr;
    // Helper threads start late: this core wakes them when its block has run `wake_helpers_at`
    // steps.
    static constexpr std::uint64_t never = ~std::uint64_t{0};
    std::uint64_t wake_helpers_at = never;
    Pool* others = nullptr;
    Block* block = nullptr;
    // Blocks of the running cluster, by rank; empty if the running block is a cluster of its own.
    std::vector<Block*> cluster;
    // Block whose shared memory the running access reaches; null: the running block.
    Block* remote = nullptr;
    Block& shared_block() const { return remote != nullptr ? *remote : *block; }
    Warp* warp = nullptr;
    int path_index = 0;
    const Function* function = nullptr;
    const Frame* frame = nullptr;
    // Indexed by RowBase; each address minus its index, which the low bits of a RowRef contain.
    std::array<std::uintptr_t, 4> base{};
    std::vector<Region> hits;                  // indexed by Access::cache
    std::vector<AddressGroup> groups;          // indexed by Access::group
    std::vector<OctetGroup> octet_groups;      // indexed by native::OctetAccess::number
    std::vector<OctetMemo> octet_memos;        // indexed by native::memo_number()
    std::vector<std::uint32_t> octet_failures; // indexed by native::form_number()
    // Last function looked up, and its code: for full and partial warps, unobserved and observed.
    struct NativeOf {
        const Function* function = nullptr;
        const native::FunctionCode* code = nullptr;
    };
    std::array<NativeOf, 4> native_of;
    std::unique_ptr<native::Straight> straight; // the kernel's straight-line code; null: it has
                                                // none, or none yet
    // The next warp doesn't meet the preconditions of the straight-line code.
    bool straight_failed = false;
    std::uint64_t straight_blocks = 0;
    bool past_time_limit = false;  // warps that start later keep their full state
    std::uint64_t entered = 0;     // number of paths entered
    int started_after_limit = 0;   // warps that started after the launch's time limit
    std::uint64_t slice_steps = 0; // instructions in the running slice, for clocks
    alignas(64) std::array<std::uint64_t, warp_lanes> scratch_offsets{};
    // The last generic access that was observed, with its step and warp.
    const Instruction* observed_access = nullptr;
    std::uint64_t observed_step = 0;
    std::uint64_t observed_warp = ~std::uint64_t{0}; // warp number within the launch
    AccessRecorder* accesses = nullptr;              // records global accesses, or null

    Path& path() { return warp->paths[path_index]; }
    // Returns 1, once, if the running path's instruction was already counted when it diverged.
    std::uint64_t take_counted() { return std::exchange(path().counted, false) ? 1 : 0; }

    template <class T>
    T* row(RowRef ref) const
    {
        return reinterpret_cast<T*>(base[ref & 3u] + ref);
    }

    // Returns true if the launch's time limit has passed. Nearly free before that.
    bool is_over_time() const
    {
        return since.passed(launch.limit_s - launch.earlier_s - earlier_s);
    }
    // Makes `path` the running one: the bases refer to its frame's rows.
    void enter(Warp& running, int path);
    // Returns the index of an instruction in the function's code.
    int pc_of(const Instruction& instruction) const
    {
        return static_cast<int>(&instruction - function->code.data());
    }

    // Returns the PTX instruction that `instruction` was decoded from.
    const ptx::Instruction& source(const Instruction& instruction) const
    {
        return function->source->instructions[instruction.source];
    }
    // Address of a callee's parameter in the caller's frame, for one lane.
    std::byte* parameter(const ParamSlot& slot, int lane)
    {
        return warp->rows.data() + frame->rows_begin + function->row_bytes +
               static_cast<std::size_t>(lane) * function->param_stride + slot.offset;
    }

    // Throws KernelFault. `what` is a predicate about the thread: "reads 4 bytes at …".
    [[noreturn]] void fault(const Instruction& instruction, trace::FindingKind kind, int lane,
                            Address address, const std::string& what, int parameter = -1,
                            std::uint64_t needed_bytes = 0) const;
    // Describes a fault of a lane at an instruction of `function`.
    trace::Fault fault_at(const Function& function, const Instruction& instruction,
                          const Warp& warp, int lane, trace::FindingKind kind,
                          const std::string& what) const;

    Dim3 thread_index(const Warp& of, int lane) const;
};

inline int lowest_lane(std::uint32_t mask)
{
    return std::countr_zero(mask);
}

// Without hardware popcount, counting bits is a function call; most masks are full.
inline std::uint32_t lane_count(std::uint32_t mask)
{
    return mask == full_mask ? warp_lanes : static_cast<std::uint32_t>(std::popcount(mask));
}

// --- Running (interpreter.cpp, schedule.cpp) ---

enum class Outcome : std::uint8_t { blocked, slice_over };

// Runs the entered path until it blocks, changes or has used `slice` instructions.
Outcome run_path(Executor& executor, std::uint64_t slice);
// Executes one instruction, or one reconvergence mark, of the entered path.
Flow step_path(Executor& executor);
// Throws if the launch has been cancelled or its time is over. Called by instructions that may take
// long; `lane` is the lane they are executing.
void stop_when_due(const Executor& executor, const Instruction& instruction, int lane);
// Prepares the executor's block for the block with this index.
void begin_block(Executor& executor, Block& block, std::uint64_t linear);
// Runs the block's warps in turns. Returns true once the block has finished, false if it has used
// `slice` instructions without finishing.
bool run_block(Executor& executor, Block& block, std::uint64_t slice);
// Ends the executor's block, whose warps have all finished: performs its remaining bulk copies.
void end_block(Executor& executor);
// Executes a `*.sync` instruction for the warp's blocked lanes that have met at it. Returns false
// if none could move.
bool resolve_lanes(Executor& executor, Warp& warp);
// Ends the warp's slice: the next turn goes to another of its paths. Throws KernelFault once the
// block's step budget is spent.
void end_slice(Executor& executor, Warp& warp);
// Ends the turn of a warp whose wait at an mbarrier has found the phase incomplete.
void park(Executor& executor, Warp& warp);
// Throws the fault of a block that has exceeded its budget, at its first warp that still runs.
[[noreturn]] void fault_endless(Executor& executor, Block& block);
// Throws the fault of blocks that returned to an earlier state; `which` describes these blocks.
[[noreturn]] void fault_repeating(Executor& executor, Block& block, const std::string& which);
// Throws the fault that explains why no path of the block can progress.
[[noreturn]] void fault_stuck(Executor& executor);

// Long enough to hide the cost of switching, short enough that spinning lanes yield soon.
constexpr std::uint64_t warp_slice = std::uint64_t{1} << 15;
// In cooperative launches some lane of every block may be spinning, so slices are shorter.
constexpr std::uint64_t cooperative_warp_slice = std::uint64_t{1} << 8;
// Cancellation is polled every this many instructions of a slice: less than 10 ms even for the
// slowest instructions (a few µs each).
constexpr std::uint64_t cancel_interval = std::uint64_t{1} << 11;

} // namespace lanescope::simt
