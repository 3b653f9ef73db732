// Where the lanes of a warp lie in a row, addresses mostly come in eights: one number for all eight
// lanes, or numbers that are a known distance apart, as %tid.x and what is made of it. A region of
// such instructions is computed once for each eight lanes instead of for each lane, so that where
// its accesses go is known without looking at addresses; all else in it are steps like those of a
// stretch. Which values are of that kind is a guess, which the code checks before it has done
// anything: where it is wrong, the items have their turn.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "compute/simt/machine/program.h"
#include "compute/simt/native/forms.h"

namespace lanescope::simt::native {

struct Step;

constexpr std::size_t max_octet_values = 160; // of a region
constexpr std::size_t max_octet_accesses = 96;
constexpr std::size_t max_lane_accesses = 16;

// What a value is made from: another value, or a row whose lanes are all the same.
struct OctetSource {
    RowRef row = no_row;
    std::uint32_t value = no_index; // index into OctetRegion::values; no_index: the row itself
    std::int32_t apart = 0;
};

// Lane i of eight has the first one's number plus i × apart; predicates are the same in all eight.
struct OctetValue {
    RowRef row = no_row;
    std::uint8_t bytes = 4; // of a lane; 0: a predicate
    std::int32_t apart = 0;
    std::uint32_t step = no_index; // that computes it; no_index: the row as the region finds it
    std::array<OctetSource, 3> source{};
};

// A load or store, wherever all of its lanes take part. One by lanes has addresses of any kind,
// which are looked at when its lanes have them.
struct OctetAccess {
    const Instruction* instruction = nullptr;
    const Access* access = nullptr;
    OctetSource address;
    std::uint32_t lanes = no_index; // by lanes: Activation::lane_addresses
    OctetSource guard;              // of no row: none
    bool guard_negated = false;
    bool whole_batch = false; // all of its batch are in the region
    std::uint32_t step = 0;   // in front of which it stands
    std::uint32_t steps = 0;  // counted instructions of the region up to it
    std::uint32_t number = 0; // among those of the function
};

// A branch ahead that no lane takes, before any access: mostly the one that spares what lies beyond
// an edge.
struct OctetBranch {
    const Instruction* instruction = nullptr;
    OctetSource guard;
    std::uint32_t step = 0;  // in front of which it stands
    std::uint32_t steps = 0; // counted instructions of the region up to it
};

// A region is code for warps all of whose lanes are as far apart, and for those where only the
// lanes of each eight are. At a kernel's beginning it may be code once more, for warps whose lanes
// differ in what they compare: OctetRegion::by_lanes. What is kept of it is kept of each form.
enum class RegionForm : std::uint8_t { eights, whole_warps, by_lanes };
constexpr std::uint32_t region_forms = 3;
constexpr std::uint32_t form_number(std::uint32_t region, RegionForm form)
{
    return region_forms * region + static_cast<std::uint32_t>(form);
}

struct OctetRegion {
    int begin = 0, end = 0;
    std::uint32_t counted = 0;
    std::uint32_t number = 0; // in the program
    std::vector<OctetValue> values;
    std::vector<OctetBranch> branches;
    std::vector<OctetAccess> accesses;
    std::vector<std::uint32_t> batch_reports; // of them, to who knows batches
    std::vector<Step> steps; // Step::value and Step::octets say which are no steps of lanes
    std::vector<RowRef> live;
    // What handlers behind the region might think is known since its accesses.
    std::vector<std::uint32_t> groups, slots;
    std::uint32_t lane_accesses = 0;
    // The same instructions, with comparisons that differ from lane to lane left to the lanes.
    std::unique_ptr<OctetRegion> by_lanes;
};

} // namespace lanescope::simt::native
