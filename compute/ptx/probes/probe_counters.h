// Counters of probes: per warp in registers of the function, per site in the buffer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compute/ptx/probes/probe_text.h"
#include "compute/trace/trace.h"

namespace lanescope::ptx {

// Computes from the mask of active lanes, &mask: the lanes below this one (&below), this lane's
// &rank, the number of active &lanes, the &first of them, and a predicate that is true in the first
// one (&leader).
constexpr std::string_view lanes_of_mask = R"(
mov.u32 &below, %lanemask_lt;
and.b32 &below, &below, &mask;
popc.b32 &rank, &below;
popc.b32 &lanes, &mask;
setp.eq.u32 &leader, &below, 0;
brev.b32 &first, &mask;
clz.b32 &first, &first;
)";

// Same, for the lanes that are active here.
std::string lanes_here();

// The rows of trace::WarpCounts; each is a b64 register `%lsprobe_sum_NAME` of the function.
enum class WarpSum {
#define WARP_COUNT(field, ...) field,
#include "compute/trace/counts.def"
};

// Kinds of events that are summed per warp: instructions of a block, accesses, branches, texel
// accesses.
enum class WarpPart { instructions, global, shared, branch, texel };

// Adds a part's counts, multiplied by `times`, to the warp's sums, in the warp's leader lane. Needs
// &leader and the registers named in the table. In a row of accesses, only the last one does this,
// for all of them: `times` is then their number.
std::string add_to_warp(WarpPart part, int times = 1, InRow in_row = InRow::alone);

// Same for global accesses: scattered ones add their costs at once, contiguous ones add
// theirs at the end of their row.
std::string add_scattered_to_warp();

// A site's record contains the counts that apply to its kind, in table order. A generic access has
// one record for global and a second one for shared memory.
enum class RecordKind { global, shared, branch };

struct RecordField {
    trace::CountOf of;
    std::uint64_t trace::Counts::*field;
    // The amount that an execution adds: a number, or a b32 register below 256.
    std::string_view value;
};
const std::vector<RecordField>& record_fields(RecordKind kind);
std::size_t site_record_bytes();

// The fields of a record to which an execution adds. A generic access counts its presence once, and
// its cost in each memory that it reaches; its lanes in shared memory are also counted separately.
enum class Counted { all, presence, requests, cost, lanes_and_cost };

// Adds the fields with a single instruction if there are enough lanes: the lane of rank r adds the
// r-th field. Needs &rank, &lanes, the registers named in the table, and %lsprobe_sites; clobbers
// &low and &high.
std::string add_to_site(int record, RecordKind kind, Counted counted = Counted::all);

// Prepares the counts of contiguous accesses of `width` bytes by consecutive lanes: &many is true
// if there are enough lanes. The lane of rank r, if it &has_field, must then add (&fixed +
// (&within & first)) >> &shift to the r-th counted field of global memory, at &mine. Needs &rank
// and &lanes.
std::string fields_of_lanes(int width, Counted counted);

// Adds the prepared counts to those fields; `first` is the lower word of the first address. Leaves
// the added amount in &value.
std::string add_in_order(int record, Counted counted, std::string_view first);

// At the end of a row, adds &row, the sum of these amounts over the row, to the warp's sums.
std::string add_row_to_warp(Counted counted, InRow in_row);

// Returns the address of a setting stored by the setup kernel, for use in brackets.
std::string setting_address(Setting setting);

// Computes the warp's index in the launch, in &warp: numbers the blocks, x fastest, and the warps
// in each block. With device-side launches, the warps of earlier launches come first.
std::string warp_index(bool launches);

// If kernels launch kernels: maps each launch's %gridid to the index of its first warp. Launches
// are entered in order of arrival, the host's launch first.
struct GridTable {
    static constexpr std::uint32_t slots = 1U << 16;      // 2^16: indexed by the hash's upper half
    static constexpr std::uint32_t more_warps = 1U << 18; // capacity for device-side launches

    struct Slot {
        std::uint64_t grid = 0;  // %gridid + 1; 0: free
        std::uint64_t first = 0; // index of its first warp + 1; 0: not yet known
    };
    struct Head {
        std::uint64_t warps = 0;    // total of all launches that have a slot
        std::uint64_t launches = 0; // total, including the launch by the host
    };
    static constexpr std::size_t bytes = sizeof(Head) + std::size_t{slots} * sizeof(Slot);
};

} // namespace lanescope::ptx
