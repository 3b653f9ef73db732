// The instruction sets that this build has row functions for, as compute/simt/CMakeLists.txt set them.
#pragma once

#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt {

constexpr bool is_built(Isa isa)
{
    constexpr bool sets[] = {LANESCOPE_ROWS_BASELINE, LANESCOPE_ROWS_AVX2, LANESCOPE_ROWS_AVX512};
    return sets[static_cast<int>(isa)];
}

// Throws DeviceError: this build has no such row functions.
[[noreturn]] void refuse(Isa isa);

} // namespace lanescope::simt
