// What native code of a function consists of, whatever the processor: stretches of steps whose
// values may stay in registers, and between them what the machine does by its handlers. Rows in
// memory hold everything that is live wherever a stretch begins or ends.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compute/simt/machine/program.h"
#include "compute/simt/native/forms.h"

namespace lanescope::simt::native {

// One arithmetic instruction: rows to a row, perhaps under a guard.
struct Step {
    const Form* form = nullptr;
    RowRef d = no_row;
    RowRef d2 = no_row; // of a comparison: where its complement goes
    std::array<RowRef, 3> source{no_row, no_row, no_row};
    std::uint8_t inverted = 0; // predicate sources with a set bit are !%p
    bool guard_negated = false;
    RowRef guard = no_row;
};

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

struct Plan {
    const Function* function = nullptr;
    std::vector<Item> items; // in the order of the code, without gaps
    std::vector<bool> entry; // by pc: native code can be entered there
};

Plan make_plan(const Program& program, const Function& function);

} // namespace lanescope::simt::native
