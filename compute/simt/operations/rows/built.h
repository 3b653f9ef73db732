// Instruction sets for which this build has row functions (set by compute/simt/CMakeLists.txt).
#pragma once

#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt {

constexpr bool is_built(Isa isa)
{
    constexpr bool sets[] = {LANESCOPE_ROWS_BASELINE, LANESCOPE_ROWS_AVX2, LANESCOPE_ROWS_AVX512};
    return sets[static_cast<int>(isa)];
}

// Throws DeviceError with a message that this build lacks the row functions of the set.
[[noreturn]] void refuse_instruction_set(Isa isa);

} // namespace lanescope::simt
