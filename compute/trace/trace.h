// The counts of one launch, per site and per warp: the one record that commands, views and tests
// read, whichever engine filled it. The rules are those measured on hardware (counting/).
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
// Whose accesses reach arrays of texels or a thread's own memory: their requests are counted, their
// sectors come from a model of the layout (Counts::modelled_sectors).
constexpr bool is_modelled(Space space)
{
    return space == Space::texture || space == Space::surface || space == Space::local;
}
enum class Op : std::uint8_t { load, store, atomic, reduction, branch };

std::string_view name(Space space);
std::string_view name(Op op);

// Which accesses a number is about. Atomics are those that return a value and reductions together.
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
    std::string file; // source path; empty when the PTX has no line info
    int line = 0;     // 1-based source line, 0 if unknown
    int ptx_line = 0;
    std::string ptx;           // the instruction's text
    Space space = Space::none; // as written; a generic access counts at the space that it reached
    Op op = Op::load;
    int width_bytes = 0; // bytes a lane moves; 0 for branches
};

// Whether single requests of the site can be watched, lane by lane.
inline bool is_watchable(const Site& site)
{
    return site.op != Op::branch && !is_modelled(site.space);
}

// The executions that a count is summed over: every one, those that access memory, those whose cost
// counting/ computes of global, of shared or of either memory, branches, or those of which the
// lockstep machine alone knows the layout.
enum class CountOf : std::uint8_t { every, access, cost, global, shared, branch, model };

// Sums over the executions of one site, as the table (counts.def) has them. Only those that make
// sense for its space and op are not zero.
struct Counts {
#define COUNT(field, ...) std::uint64_t field = 0;
#include "compute/trace/counts.def"

    // How much more was moved than the same lanes needed: sectors or, in shared memory, wavefronts
    // over the ideal; 1 where nothing was moved.
    double excess() const;

    Counts& operator+=(const Counts& other);
    Counts& operator-=(const Counts& part);
    friend bool operator==(const Counts&, const Counts&) = default;
};

// What one warp did in the launch, for maps; its requests, sectors and wavefronts are those of
// Trace::warp_scope. Order: block-linear (x fastest), then warp in block.
struct WarpCounts {
#define WARP_COUNT(field, ...) std::uint64_t field = 0;
#include "compute/trace/counts.def"

    WarpCounts& operator+=(const WarpCounts& other);
    friend bool operator==(const WarpCounts&, const WarpCounts&) = default;
};

// A row of the table of counts; the text has its columns.
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

// Something that a kernel did wrong; `message` is a sentence for a student, and names the rest.
struct Fault {
    std::string
        kind; // "out_of_bounds", "misaligned", "uninitialised", "race", "barrier", "step_budget", …
    std::string message;
    std::string kernel;
    std::string file;
    int line = 0;
    Dim3 block{0, 0, 0};
    Dim3 thread{0, 0, 0};
    std::uint64_t address = 0;
    int parameter = -1; // of the kernel, whose buffer an access out of bounds missed; -1: none
};

// Sums by space and op, as the JSON of `trace` and `emulate` gives them.
struct Totals {
    Counts global_load, global_store, global_atomic; // atomics and reductions together
    Counts shared_load, shared_store, shared_atomic;
    Counts texture_load, surface_load, surface_store, local_load, local_store;
    std::uint64_t branches = 0;
    std::uint64_t divergent_branches = 0;
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;
    std::uint64_t device_launches = 0;
};

// Touches of one chosen buffer, sector by sector in address order.
struct SectorTouches {
    std::uint64_t address = 0;          // in: first byte, aligned to 32
    std::uint64_t bytes = 0;            // in
    std::vector<std::uint32_t> touches; // out: requests that touched the sector
    std::vector<std::uint32_t> warps;   // out: distinct warps that touched it
};

// Which warp stored each element of a chosen buffer or surface last: the warps' footprints on the
// picture.
struct Footprint {
    std::uint64_t address = 0; // in: first byte
    std::uint64_t bytes = 0;   // in
    int element_bytes = 4;     // in
    // in: the handle of a two-dimensional surface, whose texels are the elements instead, and the
    // bytes of a row of it; 0 for a buffer. `address` is 0 then.
    std::uint64_t surface = 0;
    std::uint64_t row_bytes = 0;
    std::vector<std::uint32_t>
        owners; // out: warp index + 1 per element, 0 where nothing was stored
};

// One request of one warp, lane by lane: what the picture of lanes and sectors shows. Requests are
// counted in the order in which the warp makes them: parts of a warp that are apart make a request
// each, and so do the shared and the global part of a generic access, the lowest lane's part first.
struct WatchedRequest {
    int site = -1;                // in: index into Trace::sites; -1: not wanted
    std::uint32_t warp = 0;       // in: the warp's index in the launch, as in Trace::warps
    std::uint32_t occurrence = 0; // in: which of the warp's requests at that site, from 0
    std::uint32_t seen = 0;       // out: requests of that warp at that site
    std::uint32_t active = 0;     // out: a bit a lane; 0 when there was no such request
    Space space = Space::none;    // out: global or shared, also of a generic access
    // Out, of active lanes. In shared memory from the start of the block's window, so that word
    // `address / 4` lies in bank `address / 4 % 32`; on a GPU the window begins with what the
    // driver keeps for itself (1 KiB on sm_90), in the lockstep machine with the kernel's
    // variables.
    std::array<std::uint64_t, 32> addresses{};

    void forget() // clears what the last launch left
    {
        seen = active = 0;
        space = Space::none;
        addresses.fill(0);
    }
};

// What one block did to some arrays, element by element: a picture of the tiles that it reads. The
// lockstep machine alone fills it.
struct WatchedBlock {
    static constexpr std::uint32_t stored = 1U << 30; // the block stored the element
    static constexpr std::uint32_t now = 1U << 31;    // loaded in the chosen moment
    static constexpr std::uint32_t count = stored - 1;

    struct Array {
        std::uint64_t address = 0; // in: first byte
        std::uint64_t bytes = 0;   // in
        int element_bytes = 4;     // in
        // Out: for each element the block's requests that loaded it, and the bits above.
        std::vector<std::uint32_t> elements;
        std::uint64_t launch_loads = 0; // out: the same summed over elements and all blocks
    };
    std::vector<Array> arrays; // in; empty: not wanted
    std::uint64_t block = 0;   // in: its place in the launch, x fastest
    std::uint32_t moment = 0;  // in: which execution of each load by a warp, from 0
    std::uint32_t moments = 0; // out: the most executions of one load by one of the block's warps
};

// What a launch has done to one allocation of global memory: the bytes that it has read, written
// and updated atomically, each from the lowest to behind the highest.
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
    std::uint64_t allocation = 0; // where it begins
    Range read{}, written{}, updated{};

    void operator+=(const Touched& other)
    {
        for (const auto range : {&Touched::read, &Touched::written, &Touched::updated})
            (this->*range).add((other.*range).begin, (other.*range).end);
    }
};

// Where a launch on a GPU left its counts, for kernels that draw maps from them: device addresses,
// valid until the same kernel counts again. 0 where nothing was asked for.
struct DeviceCounts {
    std::uint64_t warps = 0; // WarpCounts
    std::size_t warp_count = 0;
    std::uint64_t owners = 0; // as Footprint::owners
    std::size_t elements = 0;
    std::uint64_t touches = 0;     // as SectorTouches::touches
    std::uint64_t touch_warps = 0; // as SectorTouches::warps
    std::size_t sectors = 0;
};

struct Trace {
    // Asked for by the caller before the launch; bytes == 0 means not wanted.
    SectorTouches watched;
    Footprint footprint;
    WatchedRequest request;
    LaneRecording lanes; // simt only
    bool per_warp = true;
    Scope warp_scope = Scope::all; // the accesses that `warps` sums
    // GPU only: the launch does not wait, and fills nothing but `device_counts`. With a wanted
    // request, or launches from the device, it does wait, and fills `request` and `device_launches`
    // too.
    bool keep_on_device = false;
    DeviceCounts device_counts;

    // Filled by the launch.
    std::string kernel;
    std::string engine;
    // Whose code said where parted lanes meet again: "sm_90"; empty: the PTX's control flow.
    std::string meetings_of;
    Dim3 grid;
    Dim3 block;
    std::vector<Site> sites;
    std::vector<Counts>
        counts; // by site; then, if some are generic, what each did in shared memory
    std::vector<WarpCounts> warps;
    std::uint64_t warp_instructions = 0;
    std::uint64_t thread_instructions = 0;
    // Kernels that the launch has launched from the device, and these in turn. What they did is
    // among all counts here: their sites among `sites`, their warps behind those of the grid.
    std::uint64_t device_launches = 0;
    std::vector<Fault> faults;

    bool notes_touched = false;   // asked for before the launch; simt only
    std::vector<Touched> touched; // filled by it, by address

    WatchedBlock watched_block; // asked for before the launch, like those above

    // Asked for before the launch: who knows how a kernel was assembled. By that its accesses are
    // counted a second time, as the GPU executes them; the lockstep machine alone does it. Unset:
    // only as the PTX has them.
    Assembler assembler;
    std::shared_ptr<const Assembled> assembled; // out: its account; of `sites`, if it has no reason
    std::vector<Counts> assembled_counts;       // out: as `counts`; empty where that is not known

    void ask_assembler(std::string_view ptx, std::string_view of_kernel);

    Totals totals() const;           // of the PTX's accesses
    Totals assembled_totals() const; // of assembled_counts; instructions are the PTX's
};

} // namespace lanescope::trace
