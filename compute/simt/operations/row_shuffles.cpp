// Dispatches to one of the compiled instruction sets.
#include "compute/simt/operations/row_shuffles.h"

namespace lanescope::simt {

namespace rows {

namespace baseline {
WholeWarpShuffle whole_warp_shuffle();
}
#if defined(__x86_64__)
namespace avx2 {
WholeWarpShuffle whole_warp_shuffle();
}
namespace avx512 {
WholeWarpShuffle whole_warp_shuffle();
}
#endif

} // namespace rows

WholeWarpShuffle whole_warp_shuffle([[maybe_unused]] Isa isa)
{
#if defined(__x86_64__)
    if (isa == Isa::avx512) return rows::avx512::whole_warp_shuffle();
    if (isa == Isa::avx2) return rows::avx2::whole_warp_shuffle();
#endif
    return rows::baseline::whole_warp_shuffle();
}

} // namespace lanescope::simt
