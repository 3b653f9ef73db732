// What native code of a function consists of, whatever the processor: stretches of steps whose
// values may stay in registers, and between them what the machine does by its handlers. Rows in
// memory hold everything that is live wherever a stretch begins or ends.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "compute/simt/machine/program.h"
#include "compute/simt/native/forms.h"
#include "compute/simt/native/octets.h"

namespace lanescope::simt::native {

// One arithmetic instruction: rows to a row, perhaps under a guard. Or, without a form, a load of
// neighbouring words for eight lanes at a time, or of one word for all eight; or by lanes, with
// their addresses as its source.
struct Step {
    const Form* form = nullptr;
    std::uint32_t slot = no_index; // of a load: Activation::slots
    std::int32_t offset = 0;       // of a load: from what the slot points to
    RowRef d = no_row;
    RowRef d2 = no_row; // of a comparison: where its complement goes
    std::array<RowRef, 3> source{no_row, no_row, no_row};
    std::uint8_t inverted = 0; // predicate sources with a set bit are !%p
    bool guard_negated = false;
    RowRef guard = no_row;
    std::uint32_t value = no_index;  // of an octet region: what is known of eight lanes at a time
    std::uint32_t octets = no_index; // of a load there: OctetRegion::accesses
    std::uint8_t element = 0;        // of that load
};

// False where the instruction is not a form that native code has.
bool read_step(const Program& program, const Function& function, const Instruction& in, Step& step);
constexpr bool compares(const Form& form)
{
    return form.operation >= Operation::compare_s32 && form.operation <= Operation::compare_u16;
}

// Each step is code four times over: a stretch that is longer leaves off what it holds.
constexpr std::size_t max_steps = 256;

struct Item {
    enum class Kind : std::uint8_t {
        stretch,      // steps
        row_function, // plain arithmetic without a form
        branch,       // a branch with one target
        mark,         // where lanes may meet again
        handler,      // anything else
    };
    Kind kind = Kind::handler;
    int begin = 0, end = 0; // Function::code
    std::uint32_t counted = 0;
    std::vector<Step> steps;
    std::vector<RowRef> live; // behind a stretch; sorted
};

// Loads whose bounds are looked at together, before the first, and the steps among and behind them:
// where the look finds nothing unusual, they are one stretch. Otherwise the items have their turn.
struct LoadRegion {
    struct Load {
        const Instruction* instruction = nullptr;
        std::uint32_t slot = 0;
        std::uint32_t steps = 0;  // counted instructions of the region up to it
        bool leads = false;       // its addresses are looked at here
        bool whole_batch = false; // all of its batch are in the region
    };
    int begin = 0, end = 0;
    std::uint32_t counted = 0;
    std::vector<Load> loads;
    std::vector<Load> leaders;         // of them
    std::vector<Load> batch_reports;   // for who knows batches: less than all of them
    std::vector<std::uint32_t> relied; // slots that earlier regions have filled
    std::vector<Step> steps;
    std::vector<RowRef> live; // behind it; sorted
};

struct Plan {
    const Function* function = nullptr;
    std::vector<std::unique_ptr<LoadRegion>> regions; // in the order of the code
    std::vector<std::unique_ptr<OctetRegion>> octets; // in the order of the code
    std::vector<Item> items;                          // in the order of the code, without gaps
    std::vector<bool> entry;                          // by pc: native code can be entered there
    // Counted instructions of a kernel that is one octet region and its end, 0 of all others.
    std::uint32_t straight_steps = 0;
};

Plan make_plan(const Program& program, const Function& function);

// The octet regions of a function, but for what is live behind them. `reached`: places that lanes
// may come to from elsewhere.
std::vector<std::unique_ptr<OctetRegion>>
octet_regions(const Program& program, const Function& function, const std::vector<bool>& reached);

} // namespace lanescope::simt::native
