// How probes keep their sums: per warp in registers of the function, per site in the buffer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compute/ptx/probes/probe_text.h"
#include "compute/trace/trace.h"

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

// The same of the lanes that come here together.
std::string lanes_here();

// The rows of trace::WarpCounts; each is a b64 register `%lsprobe_sum_NAME` of the function.
enum class WarpSum {
#define WARP_COUNT(field, ...) field,
#include "compute/trace/counts.def"
};

// What executions count for their warp: instructions of a block, accesses, branches, texels.
enum class WarpPart { instructions, global, shared, branch, texel };

// Adds, in the lane that counts for its warp, what the table has of that part, `times` over: needs
// &leader and the registers that the table names. Accesses in a row: `times` is how many they were,
// and the last adds for all of them.
std::string add_to_warp(WarpPart part, int times = 1, InRow in_row = InRow::alone);

// The same of accesses to global memory, where scattered ones add their costs at once and those in
// order with their row.
std::string add_scattered_to_warp();

// A site's record holds those counts that its kind can have, in the table's order. A generic access
// has one for global memory and a second one for shared memory.
enum class RecordKind { global, shared, branch };

struct RecordField {
    trace::CountOf of;
    std::uint64_t trace::Counts::*field;
    std::string_view value; // what an execution adds: a number, or a b32 register below 256
};
const std::vector<RecordField>& record_fields(RecordKind kind);
std::size_t site_record_bytes();

// Which fields of a record an execution adds to. A generic access is present once, and costs in
// each memory that it reaches; in shared memory it has its lanes once more.
enum class Counted { all, presence, requests, cost, lanes_and_cost };

// Adds them with one instruction where there are lanes enough: the lane of rank r adds the r-th.
// Needs &rank and &lanes, the registers that the table names, and %lsprobe_sites; uses &low and
// &high.
std::string add_to_site(int record, RecordKind kind, Counted counted = Counted::all);

// Lanes in order at neighbouring addresses of `width` bytes: the lane of rank r adds to the r-th of
// the counted fields of global memory, if it &has_field, (&fixed + (&within & first)) >> &shift at
// &mine, and there are lanes enough, &many. Needs &rank and &lanes.
std::string fields_of_lanes(int width, Counted counted);

// Adds to them, `first` being the lower word of the first address, and leaves in &value what.
std::string add_in_order(int record, Counted counted, std::string_view first);

// Adds &row, the sum of such values in a row, to the warp's sums at the row's end.
std::string add_row_to_warp(Counted counted, InRow in_row);

// Where the setup kernel left a value, for use in brackets.
std::string setting_address(Setting setting);

// Leaves the warp's index in the launch in &warp: blocks x fastest, then warps in the block. With
// launches from the device, behind the warps of the launches that came before.
std::string warp_index(bool launches);

// Where kernels launch kernels: which launches there were, by %gridid, and where the warps of each
// begin. Launches take their places as they come, that of the host first.
struct GridTable {
    static constexpr std::uint32_t slots = 1U << 16;      // 2^16: the hash's upper half
    static constexpr std::uint32_t more_warps = 1U << 18; // room for those of launches

    struct Slot {
        std::uint64_t grid = 0;  // %gridid + 1; 0: free
        std::uint64_t first = 0; // its first warp + 1; 0: not known yet
    };
    struct Head {
        std::uint64_t warps = 0;    // of all launches that have a slot
        std::uint64_t launches = 0; // all of them, that of the host included
    };
    static constexpr std::size_t bytes = sizeof(Head) + std::size_t{slots} * sizeof(Slot);
};

} // namespace lanescope::ptx
