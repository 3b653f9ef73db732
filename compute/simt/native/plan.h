// Processor-independent plan of a function's native code: stretches of steps whose values may stay
// in registers, and between them instructions that run through their handlers. Everything that is
// live at the start or end of a stretch is in its row in memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "compute/simt/machine/state/program.h"
#include "compute/simt/native/forms.h"
#include "compute/simt/native/octets.h"

namespace lanescope::simt::native {

// One arithmetic instruction, from rows to a row, possibly guarded. If `form` is null, a load of
// contiguous words per octet or of one word for the whole octet, or an access by lanes, whose
// addresses are the source.
struct Step {
    const Form* form = nullptr;
    std::uint32_t slot = no_index; // load: index into Activation::slots
    std::int32_t offset = 0;       // load: offset from the slot's addresses
    RowRef d = no_row;
    RowRef d2 = no_row; // comparison: destination of the complement
    std::array<RowRef, 3> source{no_row, no_row, no_row};
    std::uint8_t inverted = 0; // set bits mark predicate sources that are !%p
    bool guard_negated = false;
    RowRef guard = no_row;
    std::uint32_t value = no_index;  // octet region: index into OctetRegion::values
    std::uint32_t octets = no_index; // octet region: index of a load in OctetRegion::accesses
    std::uint8_t element = 0;        // element of that load
    int pc = 0;                      // index of the instruction
};

// Returns false if native code has no form of the instruction.
bool read_step(const Program& program, const Function& function, const Instruction& in, Step& step);
constexpr bool compares(const Form& form)
{
    return form.operation >= Operation::compare_s32 && form.operation <= Operation::compare_u16;
}

// Each step is emitted four times, so longer stretches are split.
constexpr std::size_t max_steps = 256;

struct Item {
    enum class Kind : std::uint8_t {
        stretch,      // steps
        row_function, // plain arithmetic that has no form
        branch,       // a branch with a single target
        mark,         // a reconvergence point
        handler,      // all other instructions
    };
    Kind kind = Kind::handler;
    int begin = 0, end = 0; // indices into Function::code
    std::uint32_t counted = 0;
    std::vector<Step> steps;
    std::vector<RowRef> live; // live rows after a stretch; sorted
};

// Loads whose bounds are checked together before the first one, with the steps among and after
// them. If all checks pass, they run as one stretch; otherwise the individual items run.
struct LoadRegion {
    struct Load {
        const Instruction* instruction = nullptr;
        std::uint32_t slot = 0;
        std::uint32_t steps = 0;  // counted instructions of the region up to and including it
        bool leads = false;       // the region checks this load's addresses
        bool whole_batch = false; // the region contains its whole batch
    };
    int begin = 0, end = 0;
    std::uint32_t counted = 0;
    std::vector<Load> loads;
    std::vector<Load> leaders;         // the subset with `leads` set
    std::vector<Load> batch_reports;   // for observers that support batches: one entry per batch
    std::vector<std::uint32_t> relied; // slots filled by earlier regions
    std::vector<Step> steps;
    std::vector<RowRef> live; // live rows after it; sorted
};

struct Plan {
    const Function* function = nullptr;
    std::vector<std::unique_ptr<LoadRegion>> regions; // in code order
    std::vector<std::unique_ptr<OctetRegion>> octets; // in code order
    std::vector<Item> items;                          // in code order, without gaps
    std::vector<bool> entry;                          // per pc: native code can be entered here
    // Number of counted instructions of a kernel that is one octet region plus its end; otherwise
    // 0.
    std::uint32_t straight_steps = 0;
};

Plan make_plan(const Program& program, const Function& function);

// The octet regions of a function, without `live`. `reached`: pcs that are jump targets.
std::vector<std::unique_ptr<OctetRegion>>
octet_regions(const Program& program, const Function& function, const std::vector<bool>& reached);

} // namespace lanescope::simt::native
