// The PTX of single probes. Templates are PTX in which `&name` stands for a register of the probe,
// `#name#` for a number or text filled in; every probe is a scope of its own, so that its names
// meet no others.
#pragma once

#include <string>
#include <string_view>

#include "compute/ptx/instructions/sites.h"

namespace lanescope::ptx {

// What the setup kernel stores, in the order of its parameters (all u64).
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
    wanted_request, // the warp in the lower half, the occurrence in the upper
    grids,          // GridTable, where kernels launch kernels
    last_warp       // the index that all warps share for which there is no room
};
constexpr std::size_t setting_count = static_cast<std::size_t>(Setting::last_warp) + 1;

// Which extra maps a probe fills, and whether its warp may be of a launch from the device.
struct ProbeMaps {
    bool footprint = false; // of a buffer
    int element_bytes = 4;
    bool touches = false;
    bool launches = false;
};

// Accesses in a row by the same lanes add to their warp's sums together: the first begins the
// row's own sums, the last adds them to the warp's.
enum class InRow { alone, first, between, last };

// One memory site: its number, what it does, and where. `address` is PTX that leaves the address in
// &address (b64) of the space `kind.space`.
struct MemoryProbe {
    int site = 0;
    int shared_record = -1; // of a generic access: where its part in shared memory is counted
    SiteKind kind;
    std::string address;
    bool notes_request = false;  // one request of one warp, for RequestRecord
    bool matrix_rows = false;    // which never merge in shared memory
    bool counts_for_warp = true; // it is part of the warp's sums
    bool lanes_known = false;    // the probe before was of the same lanes
    bool fields_known = false;   // one of them was of global memory and as wide
    InRow in_row = InRow::alone;
    int row = 1; // accesses in it, for the last
};

// The module-level variable and the setup kernel.
std::string setup_text();

// At the begin of a function's body: its counters, and where its site counters are: `records` in
// each copy. `copies` is a power of two.
std::string function_prologue(int records, int copies);

// Behind it where kernels launch kernels: finds where the warps of this launch begin among those of
// all, and counts the launch, once, in a kernel.
std::string launch_prologue(bool is_kernel);

// At a block's begin: `instructions` for each active lane, once for the warp. Has no branch. Behind
// it the lanes are known: their mask and what lanes_of_mask tells of it stay in registers.
std::string block_probe(int instructions);

// Before a memory instruction; `kind.space` is global, shared or generic. Behind one that is global
// or shared the lanes are known.
std::string memory_probe(const MemoryProbe& probe, const ProbeMaps& maps);

// Before an instruction of which only executions, requests and lanes are counted: one that reads or
// writes texels, or local memory.
// `counts_for_warp`: it is part of the warp's sums. Its lanes may be known, and are so behind it.
std::string request_probe(int site, bool counts_for_warp, bool lanes_known);

// Before a branch: `target` is PTX that leaves in &target (b32) which way a lane goes. Its lanes
// may be known.
std::string branch_probe(int site, std::string_view target, bool lanes_known);

// Before a function is left (or a call that may not come back): adds the function's counters to the
// warp's and sets them to zero. Has no branch.
std::string flush_text(bool launches);

// `text` for the lanes whose `predicate` is true (`negated`: false), by a branch around it.
std::string guarded(std::string_view text, std::string_view predicate, bool negated);

} // namespace lanescope::ptx
