// Follows the control flow from and to each wait. A call of a function that can wait counts as a
// wait.
#include "compute/ptx/sites/dependents.h"

#include <algorithm>
#include <set>

#include "compute/ptx/control_flow/cfg.h"
#include "compute/ptx/instructions/table.h"
#include "compute/ptx/sites/sites.h"

namespace lanescope::ptx {

namespace {

bool is_wait(const Instruction& in)
{
    return in.op == Op::griddepcontrol && in.has(Word::wait);
}

// Names of the module's functions that wait, themselves or in those they call.
std::set<std::string> waiting_functions(const Module& module)
{
    std::set<std::string> waiting;
    for (bool changed = true; changed;) {
        changed = false;
        for (const Function& function : module.functions) {
            const bool waits = std::ranges::any_of(function.instructions, [&](const auto& in) {
                return is_wait(in) || (form_of(in.op).effect == Effect::calls &&
                                       std::ranges::any_of(in.operands, [&](const Operand& one) {
                                           return waiting.contains(one.symbol);
                                       }));
            });
            changed = (waits && waiting.insert(function.name).second) || changed;
        }
    }
    return waiting;
}

// Blocks that can be reached from `from`, which are included only if they are in a loop.
std::vector<bool> reached_blocks(const ControlFlow& flow, int from)
{
    std::vector<bool> seen(flow.blocks.size());
    std::vector<int> left = flow.blocks[static_cast<std::size_t>(from)].successors;
    while (!left.empty()) {
        const int block = left.back();
        left.pop_back();
        if (block == flow.exit() || seen[static_cast<std::size_t>(block)]) continue;
        seen[static_cast<std::size_t>(block)] = true;
        const auto& next = flow.blocks[static_cast<std::size_t>(block)].successors;
        left.insert(left.end(), next.begin(), next.end());
    }
    return seen;
}

} // namespace

std::vector<bool> early_instructions(const Module& module, const Function& kernel)
{
    const std::set<std::string> waiting = waiting_functions(module);
    const auto waits_at = [&](const Instruction& in) {
        return is_wait(in) || (form_of(in.op).effect == Effect::calls &&
                               std::ranges::any_of(in.operands, [&](const Operand& one) {
                                   return waiting.contains(one.symbol);
                               }));
    };
    std::vector<int> waits;
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i)
        if (waits_at(kernel.instructions[i])) waits.push_back(static_cast<int>(i));
    std::vector<bool> early(kernel.instructions.size(), waits.empty());
    if (waits.empty()) return early;
    const ControlFlow flow = control_flow(module, kernel);
    std::vector<std::vector<bool>> from(flow.blocks.size()); // blocks reached, by block
    for (std::size_t i = 0; i < flow.blocks.size(); ++i)
        from[i] = reached_blocks(flow, static_cast<int>(i));
    const auto leads_to = [&](int a, int b) { // executed one after the other on some path
        const auto block_a = static_cast<std::size_t>(flow.block_of[static_cast<std::size_t>(a)]);
        const auto block_b = static_cast<std::size_t>(flow.block_of[static_cast<std::size_t>(b)]);
        return (block_a == block_b && a < b) || from[block_a][block_b];
    };
    for (std::size_t i = 0; i < early.size(); ++i) {
        const auto at = static_cast<int>(i);
        early[i] = std::ranges::any_of(waits, [&](int wait) { return leads_to(at, wait); }) &&
                   std::ranges::none_of(waits, [&](int wait) { return leads_to(wait, at); });
    }
    return early;
}

} // namespace lanescope::ptx
