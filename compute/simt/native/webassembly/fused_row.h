// Rows of fused multiply-adds in a browser. WebAssembly has no such instruction, but "relaxed SIMD"
// uses the processor's if there is one; a test of the results shows whether it does.
#pragma once

#include "compute/simt/operations/rows/key.h"
#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt {

// Returns a row function equivalent to `exact`, the f32 fma row with these signs (nearest, no
// flushing or saturation), that uses the processor's instruction; `exact` itself if there is none.
RowFunction fused_row(rows::Signs signs, RowFunction exact);
// True if fused_row() uses the instruction; valid after the row without negation was requested.
bool has_fused_row();

} // namespace lanescope::simt
