// How probes keep their sums: per warp in registers of the function, per site in the buffer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compute/ptx/probes/probe_text.h"

namespace lanescope::ptx {

// From &mask, the lanes that are here together: of them those below this lane (&below), this lane's
// &rank, their number &lanes, the &first of them and, as a predicate, whether this lane is it
// (&leader).
constexpr std::string_view lanes_of_mask = R"(
mov.u32 &below, %lanemask_lt;
and.b32 &below, &below, &mask;
popc.b32 &rank, &below;
popc.b32 &lanes, &mask;
setp.eq.u32 &leader, &below, 0;
brev.b32 &first, &mask;
clz.b32 &first, &first;
)";

// The counters of trace::WarpCounts in its order; each is a b64 register `%lsprobe_sum_NAME` of the
// function.
enum class WarpSum {
    warp_instructions,
    thread_instructions,
    global_requests,
    global_sectors,
    global_ideal_sectors,
    shared_requests,
    shared_wavefronts,
    shared_ideal_wavefronts,
    branches,
    divergent_branches,
    memory_lanes
};

// Adds, in the lane that counts for its warp, `value` (a number), or a b32 register × `times`:
// needs &leader.
std::string add_to_warp(WarpSum sum, std::string_view value, std::string_view times = "1");

// One counter of a site's record, in the order of trace::Counts, and what to add: "1" or a b32
// register below 256.
struct SiteSum {
    int field = 0;
    std::string value;
};

// Adds all of them with one instruction where there are lanes enough: the lane of rank r adds
// counter r. Needs &rank and &lanes, and %lsprobe_sites; uses &low and &high.
std::string add_to_site(int site, const std::vector<SiteSum>& sums);

// Where the setup kernel left a value, for use in brackets.
std::string setting_address(Setting setting);

// Leaves the warp's index in the launch in &warp: blocks x fastest, then warps in the block.
std::string warp_index();

} // namespace lanescope::ptx
