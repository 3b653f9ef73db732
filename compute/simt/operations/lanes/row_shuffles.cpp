// Dispatches to one of the compiled instruction sets.
#include "compute/simt/operations/lanes/row_shuffles.h"

#include "compute/simt/operations/rows/built.h"

namespace lanescope::simt {

namespace rows {

namespace baseline {
WholeWarpShuffle whole_warp_shuffle();
}
namespace avx2 {
WholeWarpShuffle whole_warp_shuffle();
}
namespace avx512 {
WholeWarpShuffle whole_warp_shuffle();
}

} // namespace rows

WholeWarpShuffle whole_warp_shuffle(Isa isa)
{
    if constexpr (is_built(Isa::avx512))
        if (isa == Isa::avx512) return rows::avx512::whole_warp_shuffle();
    if constexpr (is_built(Isa::avx2))
        if (isa == Isa::avx2) return rows::avx2::whole_warp_shuffle();
    if constexpr (is_built(Isa::baseline))
        if (isa == Isa::baseline) return rows::baseline::whole_warp_shuffle();
    refuse_instruction_set(isa);
}

} // namespace lanescope::simt
