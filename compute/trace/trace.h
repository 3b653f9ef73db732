// Counts of one launch, per site and per warp. Commands, views and tests all read this record,
// whichever engine filled it. The counting rules were measured on hardware (counting/).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compute/dim3.h"
#include "compute/trace/assembled.h"
#include "compute/trace/exchange.h"

namespace lanescope::trace {

enum class Space : std::uint8_t {
    none,
    global,
    shared,
    local,
    constant,
    texture,
    surface,
    generic
};
// Spaces whose requests are counted but whose sectors come from a model of the layout
// (Counts::modelled_sectors): arrays of texels and local memory.
constexpr bool is_modelled(Space space)
{
    return space == Space::texture || space == Space::surface || space == Space::local;
}
enum class Op : std::uint8_t { load, store, atomic, reduction, branch };

std::string_view name(Space space);
std::string_view name(Op op);

// The accesses that a number covers. `atomics` includes reductions, which return no value.
enum class Scope : std::uint8_t { all, loads, stores, atomics };
inline constexpr std::array all_scopes{Scope::all, Scope::loads, Scope::stores, Scope::atomics};

std::string_view name(Scope scope); // "all", "loads", …
constexpr bool covers(Scope scope, Op op)
{
    switch (scope) {
    case Scope::loads: return op == Op::load;
    case Scope::stores: return op == Op::store;
    case Scope::atomics: return op == Op::atomic || op == Op::reduction;
    case Scope::all: break;
    }
    return true;
}

// One PTX instruction that touches memory or branches, with the source line it came from.
struct Site {
    std::string function;
    std::string file; // source path; empty if the PTX has no line info
    int line = 0;     // 1-based source line, 0 if unknown
    int ptx_line = 0;
    std::string ptx; // text of the instruction
    // As written in the PTX; generic accesses are counted in the space that they reach.
    Space space = Space::none;
    Op op = Op::load;
    int width_bytes = 0; // per lane; 0 for branches
};

// True if individual requests of the site can be watched lane by lane.
inline bool is_watchable(const Site& site)
{
    return site.op != Op::branch && !is_modelled(site.space);
}

// The executions that a count sums: all, memory accesses, accesses with a cost computed
// by counting/ (in either memory, global or shared), branches, or accesses whose layout
// only the lockstep machine models.
enum class CountOf : std::uint8_t { every, access, cost, global, shared, branch, model };

// Sums over the executions of one site, as listed in counts.def. Fields that don't apply to its
// space and op are zero.
struct Counts {
#define COUNT(field, ...) std::uint64_t field = 0;
#include "compute/trace/counts.def"

    // Ratio of moved to ideal sectors or, for shared memory, wavefronts; 1 if nothing was moved.
    double excess() const;

    Counts& operator+=(const Counts& other);
    Counts& operator-=(const Counts& part);
    friend bool operator==(const Counts&, const Counts&) = default;
};

// Counts of one warp, for maps; requests, sectors and wavefronts cover Trace::warp_scope only.
// Order: linear block index (x fastest), then warp in block.
struct WarpCounts {
#define WARP_COUNT(field, ...) std::uint64_t field = 0;
#include "compute/trace/counts.def"

    WarpCounts& operator+=(const WarpCounts& other);
    friend bool operator==(const WarpCounts&, const WarpCounts&) = default;
};

// A row of the count table, for generic code over all counts.
struct CountRow {
    std::string_view name;
    std::string_view unit;
    CountOf of;
    std::uint64_t Counts::*field;
    std::string_view column;
};
inline constexpr std::array count_rows{
#define COUNT(field, unit, of, in_probe, column)                                                   \
    CountRow{#field, unit, CountOf::of, &Counts::field, column},
#include "compute/trace/counts.def"
};

struct WarpCountRow {
    std::string_view name;
    std::uint64_t WarpCounts::*field;
};
inline constexpr std::array warp_count_rows{
#define WARP_COUNT(field, of, count) WarpCountRow{#field, &WarpCounts::field},
#include "compute/trace/counts.def"
};

// An error in a kernel. `message` is a sentence for students that contains the other fields.
struct Fault {
    // "out_of_bounds", "misaligned", "uninitialised", "race", "barrier", "step_budget", …
    std::string kind;
    std::string message;
    std::string kernel;
    std::string file;
    int line = 0;
    Dim3 block{0, 0, 0};
    Dim3 thread{0, 0, 0};
    std::uint64_t address = 0;
    int parameter = -1; // index of the kernel parameter whose buffer was missed; -1: none
    std::uint64_t needed_bytes = 0; // size that the buffer would need; 0: unknown
};

// Sums by space and op, as in the JSON output of `trace` and `emulate`.
struct Totals {
    Counts global_load, global_store, global_atomic; // atomics include reductions
    Counts shared_load, shared_store, shared_atomic;
    Counts texture_load, surface_load, surface_store, local_load, local_store;
    std::uint64_t branches = 0;
    std::uint64_t divergent_branches = 0;
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;
    std::uint64_t device_launches = 0;
};

// Accesses to a selected buffer, per sector in address order.
struct SectorTouches {
    std::uint64_t address = 0;          // in: first byte, aligned to 32
    std::uint64_t bytes = 0;            // in
    std::vector<std::uint32_t> touches; // out: requests that touched the sector
    std::vector<std::uint32_t> warps;   // out: distinct warps that touched it
};

// The warp that last stored each element of a selected buffer or surface: the warps' footprints on
// the picture.
struct Footprint {
    std::uint64_t address = 0; // in: first byte
    std::uint64_t bytes = 0;   // in
    int element_bytes = 4;     // in
    // in: handle of a two-dimensional surface, whose texels then are the elements, and its bytes
    // per row; 0 for a buffer. `address` is then 0.
    std::uint64_t surface = 0;
    std::uint64_t row_bytes = 0;
    std::vector<std::uint32_t> owners; // out: warp index + 1 per element; 0: not stored
};

// One request of one warp, lane by lane, for the picture of lanes and sectors. Requests are counted
// in the order in which the warp makes them: diverged parts of a warp make separate requests, as do
// the shared and global parts of a generic access, lowest lane first.
struct WatchedRequest {
    int site = -1;                // in: index into Trace::sites; -1: not requested
    std::uint32_t warp = 0;       // in: index of the warp in the launch, as in Trace::warps
    std::uint32_t occurrence = 0; // in: index of the warp's request at that site, from 0
    std::uint32_t seen = 0;       // out: number of requests that the warp made at that site
    std::uint32_t active = 0;     // out: one bit per lane; 0 if there was no such request
    Space space = Space::none;    // out: global or shared, also for a generic access
    // Out, for active lanes. Shared addresses are relative to the block's window, so that word
    // `address / 4` is in bank `address / 4 % 32`; on a GPU the window starts with the driver's
    // reserved part (1 KiB on sm_90), in the lockstep machine with the kernel's variables.
    std::array<std::uint64_t, 32> addresses{};

    void forget() // clears the results of the last launch
    {
        seen = active = 0;
        space = Space::none;
        addresses.fill(0);
    }
};

// Accesses of one block to selected arrays, per element, for a picture of the tiles that the block
// reads. Filled by the lockstep machine only.
struct WatchedBlock {
    static constexpr std::uint32_t stored = 1U << 30; // the block stored the element
    static constexpr std::uint32_t now = 1U << 31;    // loaded in execution `moment`
    static constexpr std::uint32_t count = stored - 1;

    struct Array {
        std::uint64_t address = 0; // in: first byte
        std::uint64_t bytes = 0;   // in
        int element_bytes = 4;     // in
        // Out, per element: the number of the block's requests that loaded it, and the bits above.
        std::vector<std::uint32_t> elements;
        std::uint64_t launch_loads = 0; // out: the same, summed over elements and all blocks
    };
    std::vector<Array> arrays; // in: the arrays to watch; empty: none
    std::uint64_t block = 0;   // in: linear block index, x fastest
    std::uint32_t moment = 0;  // in: index of the execution of each load per warp, from 0
    std::uint32_t moments = 0; // out: maximum executions of one load by a warp of the block
};

// Bytes of one global allocation that a launch has read, written and updated atomically, each as a
// range from the lowest to one past the highest.
struct Touched {
    struct Range {
        std::uint64_t begin = ~std::uint64_t{0};
        std::uint64_t end = 0; // 0: none

        bool any() const { return end != 0; }
        void add(std::uint64_t from, std::uint64_t to)
        {
            if (from < begin) begin = from;
            if (to > end) end = to;
        }
    };
    std::uint64_t allocation = 0; // its start address
    Range read{}, written{}, updated{};
    // The first PTX line that loads from it, and the first that writes or updates it, each with its
    // source line; 0: none.
    struct Line {
        int ptx_line = 0;
        std::string file{};
        int line = 0;
    };
    Line reader{}, writer{};

    void operator+=(const Touched& other)
    {
        for (const auto line : {&Touched::reader, &Touched::writer}) {
            const Line& theirs = other.*line;
            Line& mine = this->*line;
            if (theirs.ptx_line != 0 && (mine.ptx_line == 0 || theirs.ptx_line < mine.ptx_line))
                mine = theirs;
        }
        for (const auto range : {&Touched::read, &Touched::written, &Touched::updated})
            (this->*range).add((other.*range).begin, (other.*range).end);
    }
};

// Device addresses of the counts that a launch left on a GPU, for kernels that draw maps from them.
// Valid until the same kernel is counted again; 0 if not requested.
struct DeviceCounts {
    std::uint64_t warps = 0; // array of WarpCounts
    std::size_t warp_count = 0;
    std::uint64_t owners = 0; // like Footprint::owners
    std::size_t elements = 0;
    std::uint64_t touches = 0;     // like SectorTouches::touches
    std::uint64_t touch_warps = 0; // like SectorTouches::warps
    std::size_t sectors = 0;
};

struct Trace {
    // Requested by the caller before the launch; bytes == 0: not requested.
    SectorTouches watched;
    Footprint footprint;
    WatchedRequest request;
    LaneRecording lanes; // simt only
    bool per_warp = true;
    Scope warp_scope = Scope::all; // accesses that `warps` covers
    // GPU only: the launch doesn't wait, and fills only `device_counts`. With a watched request or
    // device-side launches it does wait, and also fills `request` and `device_launches`.
    bool keep_on_device = false;
    DeviceCounts device_counts;

    // The launch fills these.
    std::string kernel;
    std::string engine;
    // Architecture whose code defines the reconvergence points: "sm_90"; empty: the PTX's control
    // flow.
    std::string meetings_of;
    Dim3 grid;
    Dim3 block;
    std::vector<Site> sites;
    std::vector<Counts>
        counts; // per site; then, if some are generic, their counts in shared memory
    std::vector<WarpCounts> warps;
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;
    // simt only: fewer than the grid's blocks if the launch was stopped.
    std::uint64_t blocks_ended = 0;
    // Number of device-side launches, including nested ones. Their work is included in all counts
    // here: their sites in `sites`, their warps after those of the grid.
    std::uint64_t device_launches = 0;
    std::vector<Fault> faults;

    bool records_touches = false; // requested before the launch; simt only
    std::vector<Touched> touched; // filled by the launch, by address

    WatchedBlock watched_block; // requested before the launch, like those above

    // Requested before the launch: provides the kernel's lowering. With it, the lockstep machine
    // counts accesses a second time, as the GPU executes them. Unset: only as the PTX states them.
    Assembler assembler;
    std::shared_ptr<const Assembled>
        assembled;                        // out: the lowering of `sites`, unless it has a `reason`
    std::vector<Counts> assembled_counts; // out: like `counts`; empty if unknown

    void ask_assembler(std::string_view ptx, std::string_view kernel_name);

    Totals totals() const;           // totals of the PTX's accesses
    Totals assembled_totals() const; // totals of assembled_counts; instructions are the PTX's
};

} // namespace lanescope::trace
