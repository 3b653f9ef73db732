// The usual backward analysis over basic blocks. A guarded write does not end the old value's life.
#include "compute/simt/decode/liveness.h"

#include <algorithm>

#include "compute/ptx/instructions/table.h"

namespace lanescope::simt {

namespace {

using Kind = ptx::Operand::Kind;

bool writes(const ptx::Instruction& in)
{
    return ptx::form_of(in.op).destinations > 0 && !in.operands.empty() &&
           in.operands[0].kind != Kind::address;
}

void collect(const ptx::Operand& operand, std::vector<int>& registers)
{
    if (operand.reg >= 0) registers.push_back(operand.reg);
    for (const ptx::Operand& element : operand.elements) collect(element, registers);
}

bool test(const std::vector<std::uint64_t>& bits, std::size_t index)
{
    return (bits[index / 64] >> (index % 64) & 1u) != 0;
}

} // namespace

Liveness::Liveness(const ptx::Function& function, const ptx::ControlFlow& flow)
    : function_(function), words_((function.registers.size() + 63) / 64),
      reads_(function.instructions.size()), writes_(function.instructions.size()),
      touched_writes_(function.instructions.size())
{
    const std::size_t count = function.instructions.size();
    for (std::size_t i = 0; i < count; ++i) {
        const ptx::Instruction& in = function.instructions[i];
        const std::size_t first_source = writes(in) ? 1 : 0;
        for (std::size_t k = 0; k < in.operands.size(); ++k)
            collect(in.operands[k], k < first_source ? touched_writes_[i] : reads_[i]);
        if (in.guard)
            reads_[i].push_back(in.guard->reg);
        else
            writes_[i] = touched_writes_[i];
    }

    const std::size_t blocks = flow.blocks.size();
    std::vector<Bits> entry(blocks, Bits(words_));
    const auto behind = [&](std::size_t block) {
        Bits live(words_);
        for (int successor : flow.blocks[block].successors)
            if (successor != flow.exit())
                for (std::size_t w = 0; w < words_; ++w)
                    live[w] |= entry[static_cast<std::size_t>(successor)][w];
        return live;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = blocks; block-- > 0;) {
            Bits live = behind(block);
            for (int i = flow.blocks[block].end; i-- > flow.blocks[block].begin;)
                transfer(static_cast<std::size_t>(i), live);
            if (live == entry[block]) continue;
            entry[block] = std::move(live);
            changed = true;
        }
    }
    before_.resize(count);
    for (std::size_t block = 0; block < blocks; ++block) {
        Bits live = behind(block);
        for (int i = flow.blocks[block].end; i-- > flow.blocks[block].begin;) {
            transfer(static_cast<std::size_t>(i), live);
            before_[static_cast<std::size_t>(i)] = live;
        }
    }
}

void Liveness::transfer(std::size_t instruction, Bits& live) const
{
    for (int reg : writes_[instruction])
        live[static_cast<std::size_t>(reg) / 64] &= ~(std::uint64_t{1} << (reg % 64));
    for (int reg : reads_[instruction])
        live[static_cast<std::size_t>(reg) / 64] |= std::uint64_t{1} << (reg % 64);
}

bool Liveness::live_before(std::size_t instruction, std::size_t reg) const
{
    return test(before_[instruction], reg);
}

std::vector<Liveness::Interval> Liveness::intervals() const
{
    const std::size_t count = before_.size();
    std::vector<Interval> found(function_.registers.size(), Interval{static_cast<int>(count), -1});
    const auto extend = [&](std::size_t reg, std::size_t instruction) {
        found[reg].first = std::min(found[reg].first, static_cast<int>(instruction));
        found[reg].last = std::max(found[reg].last, static_cast<int>(instruction));
    };
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t word = 0; word < words_; ++word)
            for (std::uint64_t bits = before_[i][word]; bits != 0; bits &= bits - 1)
                extend(word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)), i);
        for (int reg : touched_writes_[i]) extend(static_cast<std::size_t>(reg), i);
        for (int reg : reads_[i]) extend(static_cast<std::size_t>(reg), i);
    }
    // The caller writes parameters before the first instruction, and reads results after the last.
    for (const auto* variables : {&function_.parameters, &function_.results})
        for (const ptx::Variable& variable : *variables) {
            if (variable.space != ptx::Space::reg || count == 0) continue;
            const int reg = ptx::register_index(function_, variable.name);
            extend(static_cast<std::size_t>(reg), 0);
            extend(static_cast<std::size_t>(reg), count - 1);
        }
    return found;
}

} // namespace lanescope::simt
