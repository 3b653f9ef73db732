// What handlers work on: the running path of the running warp, with the bases of its rows at hand.
// One executor per core; it runs one block at a time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compute/simt/machine/block.h"
#include "compute/simt/machine/launch_state.h"
#include "compute/simt/machine/observer.h"
#include "compute/simt/operations/memory/lane_pattern.h"
#include "compute/thread_time.h"

namespace lanescope::simt {

namespace native {
class FunctionCode;
class Straight;
} // namespace native
class LaneRecorder;
class Pool;

// The allocation that an access hit last.
struct Region {
    Address begin = 1;
    Address end = 0;
    std::uintptr_t host = 0; // of `begin`
    const Allocation* allocation = nullptr;
};

// What is known of the addresses of an access of native code that is computed for eight lanes at a
// time.
struct OctetGroup {
    const Instruction* instruction = nullptr;
    AddressGroup group;
};

// Where the accesses of a region went when the observer remembered them, by eight lanes, and which
// bits of a way from there change what they cost.
struct OctetMemo {
    struct Access {
        std::array<std::uint64_t, 4> at;
        std::uint64_t bits;
    };
    std::vector<Access> accesses;                             // empty: nothing is remembered
    std::vector<std::array<std::uint64_t, warp_lanes>> lanes; // of accesses by lanes
    std::uint32_t missed = 0; // times in a row that they had gone elsewhere
};

struct Executor {
    explicit Executor(const LaunchState& state);
    ~Executor();

    const LaunchState& launch;
    std::vector<Observer*> observers;
    // By site, for native code: where the only observer wants no more of the branches of a full
    // warp that all lanes take alike than how many there were. Null: it wants to hear of each.
    std::uint64_t* branch_counts = nullptr;
    LaneRecorder* recorder = nullptr; // the one of them that records, if one does
    Observer* follower = nullptr;     // the one of them that may follow values
    bool follow_from_here = false;    // it has just begun to
    ThreadWatch since{};              // of the thread that runs it
    bool inspects_registers = true;   // whoever runs it, between instructions
    bool whole_batches = false;       // observers are told of batches of loads, not of each load
    // Where others only help who calls for them: at so many steps of its block this core does.
    static constexpr std::uint64_t never = ~std::uint64_t{0};
    std::uint64_t wake_helpers_at = never;
    Pool* others = nullptr;
    Block* block = nullptr;
    Warp* warp = nullptr;
    int path_index = 0;
    const Function* function = nullptr;
    const Frame* frame = nullptr;
    std::array<std::uintptr_t, 4> base{};      // indexed by RowBase, each less its own index
    std::vector<Region> hits;                  // by Access::cache
    std::vector<AddressGroup> groups;          // by Access::group
    std::vector<OctetGroup> octet_groups;      // by native::OctetAccess::number
    std::vector<OctetMemo> octet_memos;        // by native::form_number()
    std::vector<std::uint32_t> octet_failures; // by native::form_number()
    // Of the function that was asked for last: for full warps and for others, unobserved and
    // observed.
    struct NativeOf {
        const Function* function = nullptr;
        const native::FunctionCode* code = nullptr;
    };
    std::array<NativeOf, 4> native_of;
    std::unique_ptr<native::Straight> straight; // of the kernel; null: it is not one, or not yet
    bool straight_failed = false; // the warp that runs next was found not to be as expected
    std::uint64_t straight_blocks = 0;
    bool over_time = false;        // found before a block: from then on warps have states
    std::uint64_t entered = 0;     // how often a path was entered
    int started_after_limit = 0;   // warps that began when the launch's time was over
    std::uint64_t slice_steps = 0; // instructions of the running slice, for clocks
    alignas(64) std::array<std::uint64_t, warp_lanes> scratch_offsets{};
    const Instruction* observed_access =
        nullptr; // the generic access that was observed last, and when
    std::uint64_t observed_step = 0;
    std::uint64_t observed_warp = ~std::uint64_t{0}; // of the launch

    Path& path() { return warp->paths[path_index]; }
    // 1 when the running path's instruction has been counted before it parted its lanes; asked
    // once.
    std::uint64_t take_counted() { return std::exchange(path().counted, false) ? 1 : 0; }

    template <class T>
    T* row(RowRef ref) const
    {
        return reinterpret_cast<T*>(base[ref & 3u] + ref);
    }

    // Makes the path the running one: its frame's rows become the base.
    void enter(Warp& running, int path);
    // Continue the running path behind or at another instruction.
    int pc_of(const Instruction& instruction) const
    {
        return static_cast<int>(&instruction - function->code.data());
    }

    // The text's instruction that it was decoded from.
    const ptx::Instruction& source(const Instruction& instruction) const
    {
        return function->source->instructions[instruction.source];
    }
    // Where the callee's parameter lies in the caller's frame, for one lane.
    std::byte* parameter(const ParamSlot& slot, int lane)
    {
        return warp->rows.data() + frame->rows_begin + function->row_bytes +
               static_cast<std::size_t>(lane) * function->param_stride + slot.offset;
    }

    // Throws KernelFault. `what` is a predicate about the thread: "reads 4 bytes at …".
    [[noreturn]] void fault(const Instruction& instruction, std::string kind, int lane,
                            Address address, const std::string& what, int parameter = -1) const;

    Dim3 thread_index(const Warp& of, int lane) const;
};

inline int lowest_lane(std::uint32_t mask)
{
    return std::countr_zero(mask);
}

// Without a processor instruction for it, counting bits costs a call: most masks need none.
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
// Prepares the executor's block for the block with this index.
void begin_block(Executor& executor, Block& block, std::uint64_t linear);
// Runs the block's warps by turns until it has finished (true) or used `slice` instructions without
// finishing.
bool run_block(Executor& executor, Block& block, std::uint64_t slice);
// Lets blocked lanes of the warp that have met at one `*.sync` instruction execute it. False when
// nothing could move.
bool resolve_lanes(Executor& executor, Warp& warp);
// A warp has run for a slice: another path's turn. Throws KernelFault when the block's step budget
// is spent.
void end_slice(Executor& executor, Warp& warp);
// Throws the fault of a block that has run for too long, at its first warp that still runs.
[[noreturn]] void fault_endless(Executor& executor, Block& block);
// Throws the fault of blocks that come back to where they were; `which` says how many there are.
[[noreturn]] void fault_repeating(Executor& executor, Block& block, const std::string& which);
// Throws the fault that explains why no path of the block can move.
[[noreturn]] void fault_stuck(Executor& executor);

// Long enough that switching costs nothing, short enough that lanes that spin hand over soon.
constexpr std::uint64_t warp_slice = std::uint64_t{1} << 15;
// Where all blocks wait for each other, a lane of each spins all the time.
constexpr std::uint64_t cooperative_warp_slice = std::uint64_t{1} << 8;
// A slice is run in pieces of so many instructions, between which cancellation is looked for: even
// of the slowest instructions (a few µs) that is less than 10 ms.
constexpr std::uint64_t cancel_interval = std::uint64_t{1} << 11;

} // namespace lanescope::simt
