// Assigns registers to rows of a frame: registers that are never live at the same time share a row,
// so that frames fit in the inner caches.
#pragma once

#include "compute/simt/decode/flow/liveness.h"
#include "compute/simt/machine/state/program.h"

namespace lanescope::simt {

struct RegisterRows {
    std::vector<RowRef> rows;  // parallel to ptx::Function::registers; no_row for unused registers
    std::uint32_t scratch = 0; // offset of a row that receives discarded results and is never read
    std::uint32_t carry = 0;   // offset of the carry bits (CC)
    std::uint32_t bytes = 0;   // total size
    int live = 0;              // maximum 32-bit registers per thread that are live at once
};

// `separate_rows`: each register gets its own row, so that it keeps its value after its last read.
// Needed for texts compiled for debugging, whose variables refer to registers.
// Accumulators of wgmma always have their own rows, because they are written after the instruction.
RegisterRows place_registers(const ptx::Function& function, const Liveness& liveness,
                             bool separate_rows = false);

} // namespace lanescope::simt
