// Standard backward dataflow analysis over basic blocks. A guarded write doesn't end the old
// value's lifetime.
#include "compute/simt/decode/flow/liveness.h"

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

} // namespace

void Liveness::collect(const ptx::Operand& operand, Lists& registers)
{
    if (operand.reg >= 0) registers.add(operand.reg);
    for (const ptx::Operand& element : operand.elements) collect(element, registers);
}

void Liveness::note_uses(const ptx::Instruction& in)
{
    const std::size_t first_source = writes(in) ? 1 : 0;
    for (std::size_t k = 0; k < in.operands.size(); ++k)
        collect(in.operands[k], k < first_source ? writes_ : reads_);
    // Accumulators of a warp group's product are read, too, unless they start at zero.
    const bool adds =
        in.op == ptx::Op::wgmma && (in.operands[3].reg >= 0 || in.operands[3].bits != 0);
    if (adds) collect(in.operands[0], reads_);
    if (in.guard) reads_.add(in.guard->reg);
}

Liveness::Liveness(const ptx::Function& function, const ptx::ControlFlow& flow,
                   std::span<const Read> also)
    : function_(function), words_((function.registers.size() + 63) / 64),
      before_(function.instructions.size() * words_)
{
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        note_uses(function.instructions[i]);
        for (; !also.empty() && also.front().instruction == static_cast<int>(i);
             also = also.subspan(1))
            reads_.add(also.front().reg);
        writes_.end_list();
        reads_.end_list();
    }

    const std::size_t blocks = flow.blocks.size();
    std::vector<Bits> entry(blocks, Bits(words_));
    Bits live(words_);
    const auto load_live_out = [&](std::size_t block) {
        std::ranges::fill(live, 0);
        for (int successor : flow.blocks[block].successors)
            if (successor != flow.exit())
                for (std::size_t w = 0; w < words_; ++w)
                    live[w] |= entry[static_cast<std::size_t>(successor)][w];
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = blocks; block-- > 0;) {
            load_live_out(block);
            for (int i = flow.blocks[block].end; i-- > flow.blocks[block].begin;)
                transfer(static_cast<std::size_t>(i), live);
            if (live == entry[block]) continue;
            entry[block] = live;
            changed = true;
        }
    }
    for (std::size_t block = 0; block < blocks; ++block) {
        load_live_out(block);
        for (int i = flow.blocks[block].end; i-- > flow.blocks[block].begin;) {
            transfer(static_cast<std::size_t>(i), live);
            std::ranges::copy(live, before_.begin() + static_cast<std::ptrdiff_t>(
                                                          static_cast<std::size_t>(i) * words_));
        }
    }
}

void Liveness::transfer(std::size_t instruction, Bits& live) const
{
    if (!function_.instructions[instruction].guard)
        for (int reg : writes_[instruction])
            live[static_cast<std::size_t>(reg) / 64] &= ~(std::uint64_t{1} << (reg % 64));
    for (int reg : reads_[instruction])
        live[static_cast<std::size_t>(reg) / 64] |= std::uint64_t{1} << (reg % 64);
}

bool Liveness::live_before(std::size_t instruction, std::size_t reg) const
{
    return (before_[instruction * words_ + reg / 64] >> (reg % 64) & 1u) != 0;
}

std::vector<Liveness::Interval> Liveness::intervals() const
{
    const std::size_t count = function_.instructions.size();
    std::vector<Interval> found(function_.registers.size(), Interval{static_cast<int>(count), -1});
    const auto extend = [&](std::size_t reg, std::size_t instruction) {
        found[reg].first = std::min(found[reg].first, static_cast<int>(instruction));
        found[reg].last = std::max(found[reg].last, static_cast<int>(instruction));
    };
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t word = 0; word < words_; ++word)
            for (std::uint64_t bits = before_[i * words_ + word]; bits != 0; bits &= bits - 1)
                extend(word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)), i);
        for (int reg : writes_[i]) extend(static_cast<std::size_t>(reg), i);
        for (int reg : reads_[i]) extend(static_cast<std::size_t>(reg), i);
    }
    // The caller writes parameters before the first instruction and reads results after the last.
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
