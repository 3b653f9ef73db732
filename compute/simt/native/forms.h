// Forms: operations that native code can compute. A form stands for a row function: native code may
// replace exactly those instructions to which the decoder gave that function.
#pragma once

#include <array>
#include <cstdint>

#include "compute/simt/operations/rows/key.h"
#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt::native {

enum class Operation : std::uint8_t {
#define OPERATION(name, instructions, x64, wasm) name,
#include "compute/simt/native/operations.def"
};

constexpr bool is_integer_division(Operation operation)
{
    return operation >= Operation::divide_s32 && operation <= Operation::remainder_u32;
}

struct Form {
    Operation operation{};
    rows::Compare compare{};
    rows::Boolean boolean = rows::Boolean::none;
    std::uint8_t destination = 4;         // bytes per lane; 0: a predicate
    std::array<std::uint8_t, 3> source{}; // likewise, per source
    std::uint8_t sources = 0;
};

// The form of a row function; null if it has none.
const Form* find_form(RowFunction run, Isa isa);

} // namespace lanescope::simt::native
