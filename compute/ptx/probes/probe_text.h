// PTX text of individual probes. Templates are PTX in which `&name` stands for a register of the
// probe and `#name#` for a number or text; each probe is its own scope, so that names don't clash.
#pragma once

#include <string>
#include <string_view>

#include "compute/ptx/sites/sites.h"

namespace lanescope::ptx {

// Values stored by the setup kernel, in the order of its parameters (all u64).
enum class Setting {
    sites,
    warps,
    owners,
    footprint_begin,
    footprint_bytes,
    touches,
    touch_warps,
    overflow,
    pairs,
    watched_begin,
    watched_sizes,
    surface,
    surface_row_bytes,
    request,
    wanted_request, // warp in the lower half, occurrence in the upper
    grids,          // GridTable, if kernels launch kernels
    last_warp       // index shared by all warps beyond the capacity
};
constexpr std::size_t setting_count = static_cast<std::size_t>(Setting::last_warp) + 1;

// Extra maps that a probe fills, and whether its warp may belong to a device-side launch.
struct ProbeMaps {
    bool footprint = false; // footprint of a buffer
    int element_bytes = 4;
    bool touches = false;
    bool launches = false;
};

// Consecutive accesses by the same lanes form a row, whose costs are added to the warp's sums at
// its end: the first access starts the row's own sums, the last one adds them to the warp's.
enum class InRow { alone, first, between, last };

// One memory site: its number, kind and address. `address` is PTX that computes &address (b64), in
// the space `kind.space`.
struct MemoryProbe {
    int site = 0;
    int shared_record = -1; // generic access: record for its shared-memory part
    SiteKind kind;
    std::string address;
    bool records_request = false; // records a request, in RequestRecord
    bool matrix_rows = false;     // ldmatrix or stmatrix: lanes never merge in shared memory
    bool counts_for_warp = true;  // included in the warp's sums
    bool lanes_known = false;     // the previous probe had the same lanes
    bool fields_known = false;    // a previous global access of these lanes had the same width
    InRow in_row = InRow::alone;
    int row = 1; // for the last access: number of accesses in the row
};

// The module-level variable and the setup kernel.
std::string setup_text();

// At the start of a function's body: declares its counters and computes the address of its site
// counters, with `records` in each copy. `copies` is a power of two.
std::string function_prologue(int records, int copies);

// Follows the prologue if kernels launch kernels: finds the index of this launch's first warp, and
// in a kernel counts the launch, once.
std::string launch_prologue(bool is_kernel);

// At the start of a block: counts `instructions` per active lane, and once for the warp.
// Branch-free. Afterwards the lanes are known: their mask and the results of lanes_of_mask stay in
// registers.
std::string block_probe(int instructions);

// Before a memory instruction; `kind.space` is global, shared or generic. After a global or shared
// one the lanes are known.
std::string memory_probe(const MemoryProbe& probe, const ProbeMaps& maps);

// Before an instruction of which only executions, requests and lanes are counted: one that accesses
// texels or local memory. `counts_for_warp`: it is included in the warp's sums. Its lanes may be
// known, and are known afterwards.
std::string request_probe(int site, bool counts_for_warp, bool lanes_known);

// Before a branch: `target` is PTX that computes in &target (b32) the direction of a lane. Its
// lanes may be known.
std::string branch_probe(int site, std::string_view target, bool lanes_known);

// Before leaving a function (or a call that may not return): adds the function's counters to the
// warp's and clears them. Branch-free.
std::string flush_text(bool launches);

// PTX that runs `text` only in lanes whose `predicate` is true (false if `negated`), by a branch.
std::string guarded(std::string_view text, std::string_view predicate, bool negated);

} // namespace lanescope::ptx
