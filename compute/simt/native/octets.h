// Octet regions: when a warp's lanes are consecutive in x, addresses are usually affine within
// groups of eight lanes (equal, or a known distance apart, like %tid.x and values derived from it).
// A region of instructions with such addresses computes them once per octet instead of per lane, so
// that access patterns are known without examining addresses; its other instructions are steps as
// in a stretch. The planner guesses which values are affine, and the code checks the guesses before
// it has any side effect; if a check fails, the individual items run instead.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "compute/simt/machine/state/program.h"
#include "compute/simt/native/forms.h"

namespace lanescope::simt::native {

struct Step;

constexpr std::size_t max_octet_values = 160; // limits per region
constexpr std::size_t max_octet_accesses = 96;
constexpr std::size_t max_lane_accesses = 16;

// Source of a value: another value, or a row with equal lanes.
struct OctetSource {
    RowRef row = no_row;
    std::uint32_t value = no_index; // index into OctetRegion::values; no_index: the row itself
    std::int32_t apart = 0;
};

// An affine value: lane i of eight is the first lane's value + i × apart. Predicates are equal in
// all eight.
struct OctetValue {
    RowRef row = no_row;
    std::uint8_t bytes = 4; // per lane; 0: a predicate
    std::int32_t apart = 0;
    std::uint32_t step = no_index; // the step that computes it; no_index: read from the row
    std::array<OctetSource, 3> source{};
};

// A load or store executed by all lanes. An access by lanes may have any addresses, which are
// checked after the lanes have computed them.
struct OctetAccess {
    const Instruction* instruction = nullptr;
    const Access* access = nullptr;
    OctetSource address;
    std::uint32_t lanes = no_index; // accesses by lanes: index into Activation::lane_addresses
    OctetSource guard;              // no_row: unguarded
    bool guard_negated = false;
    bool whole_batch = false; // the region contains its whole batch
    std::uint32_t step = 0;   // index of the step that follows it
    std::uint32_t steps = 0;  // counted instructions of the region up to and including it
    std::uint32_t number = 0; // index in the function
    // Accesses at constant distances from one another share the check of their bounds: that of
    // their lead, whose index in the region this is. Only leads have a place in the Activation.
    std::uint32_t lead = 0;
    std::int32_t from_lead = 0;           // distance, in bytes
    std::int32_t lowest = 0, highest = 0; // leads: of the accesses that they lead
};

// A forward branch that no lane takes, before any access: usually a bounds check at an edge.
struct OctetBranch {
    const Instruction* instruction = nullptr;
    OctetSource guard;
    std::uint32_t step = 0;  // index of the step that follows it
    std::uint32_t steps = 0; // counted instructions of the region up to and including it
};

// A region is compiled for warps that are affine as a whole and for those that are affine only
// within octets. At a kernel's start there may be a third form, OctetRegion::by_lanes, for warps
// in which a comparison has different results in different lanes. Cached state is kept per form.
enum class RegionForm : std::uint8_t { eights, whole_warps, by_lanes };
constexpr std::uint32_t region_forms = 3;
constexpr std::uint32_t form_number(std::uint32_t region, RegionForm form)
{
    return region_forms * region + static_cast<std::uint32_t>(form);
}
// A form's costs are memoised for several alignments of its accesses to global memory, which
// alternate in loops.
constexpr std::uint32_t memo_places = 4;
constexpr std::uint32_t memo_number(std::uint32_t form, std::uint32_t place)
{
    return memo_places * form + place;
}

struct OctetRegion {
    int begin = 0, end = 0;
    std::uint32_t counted = 0;
    std::uint32_t number = 0; // index in the program
    std::vector<OctetValue> values;
    std::vector<OctetBranch> branches;
    std::vector<OctetAccess> accesses;
    std::vector<std::uint32_t> batch_reports;  // accesses reported to batch observers
    std::vector<std::uint32_t> shared_reports; // of these, the ones to shared memory,
    std::vector<std::uint32_t> global_reports; // and the others
    std::vector<std::uint32_t> stores;         // indices of accesses
    std::vector<Step> steps; // Step::value and Step::octets mark those that are not per-lane steps
    std::vector<RowRef> live;
    // Groups and slots that handlers after the region must not reuse from its accesses.
    std::vector<std::uint32_t> groups, slots;
    std::uint32_t lane_accesses = 0;
    // The same instructions, for when a comparison gives different results in different lanes.
    std::unique_ptr<OctetRegion> by_lanes;
};

} // namespace lanescope::simt::native
