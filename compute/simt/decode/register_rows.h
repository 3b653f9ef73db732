// Where a function's registers lie in a frame: registers that are never needed at the same time
// share a row, which keeps frames small enough for the nearest caches.
#pragma once

#include "compute/simt/decode/liveness.h"
#include "compute/simt/machine/program.h"

namespace lanescope::simt {

struct RegisterRows {
    std::vector<RowRef>
        rows; // parallel to ptx::Function::registers; no_row for registers that nothing uses
    std::uint32_t scratch = 0; // offset of a row that nobody reads, for results that are not wanted
    std::uint32_t carry = 0;   // offset of the CC bits
    std::uint32_t bytes = 0;   // of all rows
};

// `apart`: each register has a row of its own, and keeps its value when nothing reads it any more:
// a text compiled for debugging says that variables are there.
RegisterRows place_registers(const ptx::Function& function, const Liveness& liveness,
                             bool apart = false);

} // namespace lanescope::simt
