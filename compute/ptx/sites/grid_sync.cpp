// Compiled code reads the barrier's address from %envreg1 and %envreg2.
#include "compute/ptx/sites/grid_sync.h"

#include <algorithm>

#include "compute/ptx/sites/sites.h"

namespace lanescope::ptx {

bool waits_for_grid(const Module& module, std::string_view kernel)
{
    const auto names_barrier = [](const Operand& operand) {
        return operand.kind == Operand::Kind::special &&
               (operand.symbol == "envreg1" || operand.symbol == "envreg2");
    };
    return std::ranges::any_of(reachable_functions(module, kernel), [&](int index) {
        const auto& instructions = module.functions[static_cast<std::size_t>(index)].instructions;
        return std::ranges::any_of(instructions, [&](const Instruction& in) {
            return std::ranges::any_of(in.operands, names_barrier);
        });
    });
}

} // namespace lanescope::ptx
