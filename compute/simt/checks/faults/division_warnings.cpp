// Finds the instruction that divided, from the rows of its operands.
#include "compute/simt/checks/faults/division_warnings.h"

#include <algorithm>
#include <string>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/operations/lanes/zero_divisors.h"

namespace lanescope::simt {

void DivisionWarnings::found(const Executor& x, const Function& function, const Instruction& in,
                             std::uint32_t lanes)
{
    if (warnings_.is_known(&in, x.block->linear)) return;
    const bool remainder = function.source->instructions[in.source].op == ptx::Op::rem;
    warnings_.add(&in, x.block->linear,
                  x.fault_at(function, in, *x.warp, lowest_lane(lanes), zero_division,
                             std::string(remainder ? "takes the remainder of an integer division "
                                                     "by zero"
                                                   : "divides an integer by zero") +
                                 ", which C++ leaves undefined. A GPU reports nothing and "
                                 "continues, usually with all bits set. Check the divisor first"));
}

void take_zero_divisors(Executor& x, const Function& function)
{
    ZeroDivisors& notes = zero_divisors;
    if (notes.count == 0) return;
    const std::size_t count = std::exchange(notes.count, 0);
    if (x.division_warnings == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) {
        const ZeroDivisors::Division& one = notes.found[i];
        const auto used_by = [&](const Instruction& in) {
            const ptx::Op op = function.source->instructions[in.source].op;
            return in.run != nullptr && (op == ptx::Op::div || op == ptx::Op::rem) &&
                   x.row<const void>(in.d) == one.d && x.row<const void>(in.a) == one.a &&
                   x.row<const void>(in.b) == one.b;
        };
        const auto in = std::ranges::find_if(function.code, used_by);
        if (in != function.code.end()) x.division_warnings->found(x, function, *in, one.lanes);
    }
}

void take_zero_divisors(Executor& x, const Function& function, std::span<std::uint32_t> lanes_by_pc)
{
    for (std::size_t pc = 0; pc < lanes_by_pc.size(); ++pc) {
        const std::uint32_t lanes = std::exchange(lanes_by_pc[pc], 0);
        if (lanes != 0 && x.division_warnings != nullptr)
            x.division_warnings->found(x, function, function.code[pc], lanes);
    }
}

} // namespace lanescope::simt
