// Rows of fused multiply-adds in a browser. WebAssembly has none, but "relaxed SIMD" asks for the
// processor's where that has them; whether it has is seen by what they give.
#pragma once

#include "compute/simt/operations/rows/key.h"
#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt {

// Computes what `exact` computes, the f32 row of fma with these signs (to nearest, without flushing
// and saturation), by the processor's instruction; where there is none, `exact` itself.
RowFunction fused_row(rows::Signs signs, RowFunction exact);
// Whether it does so, once it was asked for the row without a sign.
bool has_fused_row();

} // namespace lanescope::simt
