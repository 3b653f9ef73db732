// Instructions from words, and calls with rows of a test's own.
#include "tests/unit/rows/rows.h"

#include <algorithm>
#include <vector>

#include "compute/ptx/instructions/table.h"

namespace lanescope::simt {

ptx::Instruction instruction(std::string_view words, int operands)
{
    ptx::Instruction made;
    std::size_t end = std::min(words.find('.'), words.size());
    const std::string_view opcode = words.substr(0, end);
    std::vector<std::string_view> modifiers;
    while (end < words.size()) {
        words.remove_prefix(end + 1);
        end = std::min(words.find('.'), words.size());
        modifiers.push_back(words.substr(0, end));
    }
    const ptx::Reading reading = ptx::read_words(opcode, modifiers);
    if (reading.form == nullptr) return made; // without operands: nothing that runs
    made.op = reading.form->op;
    made.modifiers = reading.modifiers;
    made.operands.resize(static_cast<std::size_t>(operands));
    for (ptx::Operand& operand : made.operands) operand.kind = ptx::Operand::Kind::reg;
    return made;
}

std::vector<Isa> runnable_sets()
{
    std::vector<Isa> sets = {Isa::baseline};
    if (best_isa() != Isa::baseline) sets.push_back(Isa::avx2);
    if (best_isa() == Isa::avx512) sets.push_back(Isa::avx512);
    return sets;
}

Result run(const RowOperation& operation, const std::array<Row, 4>& sources, std::uint32_t active,
           const Row& before, std::uint32_t carry)
{
    Result result;
    result.destinations.fill(before);
    result.carry = carry;
    RowOperands operands;
    operands.d = &result.destinations[0];
    operands.d2 = operation.destination_count > 1 ? &result.destinations[1] : nullptr;
    operands.d3 = operation.destination_count > 2 ? &result.destinations[2] : nullptr;
    operands.d4 = operation.destination_count > 3 ? &result.destinations[3] : nullptr;
    operands.a = &sources[0];
    operands.b = &sources[1];
    operands.c = &sources[2];
    operands.e = &sources[3];
    operands.carry = &result.carry;
    operation.run(operands, active);
    return result;
}

} // namespace lanescope::simt
