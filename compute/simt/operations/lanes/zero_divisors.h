// Integer divisions by zero that row functions have executed on this thread. Row functions have no
// access to the executor, so it reads them from here afterwards.
#pragma once

#include <array>
#include <cstddef>

#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt {

struct ZeroDivisors {
    // The rows identify the instruction.
    struct Division {
        const void* d = nullptr;
        const void* a = nullptr;
        const void* b = nullptr;
        std::uint32_t lanes = 0; // active lanes that divided by zero
    };
    std::array<Division, 16> found{}; // more are dropped
    std::size_t count = 0;
};
extern constinit thread_local ZeroDivisors zero_divisors;

void note_zero_divisors(const RowOperands& operands, std::uint32_t lanes);

} // namespace lanescope::simt
