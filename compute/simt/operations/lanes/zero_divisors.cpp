// A loop may divide by zero in every iteration, so each instruction is stored only once.
#include "compute/simt/operations/lanes/zero_divisors.h"

namespace lanescope::simt {

constinit thread_local ZeroDivisors zero_divisors;

void note_zero_divisors(const RowOperands& operands, std::uint32_t lanes)
{
    ZeroDivisors& all = zero_divisors;
    for (std::size_t i = 0; i < all.count; ++i) {
        ZeroDivisors::Division& one = all.found[i];
        if (one.d != operands.d || one.a != operands.a || one.b != operands.b) continue;
        one.lanes |= lanes;
        return;
    }
    if (all.count < all.found.size())
        all.found[all.count++] = {operands.d, operands.a, operands.b, lanes};
}

} // namespace lanescope::simt
