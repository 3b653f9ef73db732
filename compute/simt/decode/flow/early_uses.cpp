// Two forward dataflow analyses over basic blocks. Pending: the union over paths of the registers
// of each group of products, the latest group first. Used: the intersection over paths, since a
// wait that no wgmma.fence has followed, of the registers that other instructions have used.
#include "compute/simt/decode/flow/early_uses.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "compute/ptx/instructions/table.h"

namespace lanescope::simt {

namespace {

using Bits = std::vector<std::uint64_t>;

template <class Use>
void for_registers(const ptx::Operand& operand, const Use& use)
{
    if (operand.reg >= 0) use(static_cast<std::size_t>(operand.reg));
    for (const ptx::Operand& element : operand.elements) for_registers(element, use);
}

bool is_in(const Bits& bits, std::size_t reg)
{
    return (bits[reg / 64] >> (reg % 64) & 1u) != 0;
}
void put(Bits& bits, std::size_t reg)
{
    bits[reg / 64] |= std::uint64_t{1} << (reg % 64);
}

bool has_destination(const ptx::Instruction& in)
{
    return ptx::form_of(in.op).destinations > 0 && !in.operands.empty() &&
           in.operands[0].kind != ptx::Operand::Kind::address;
}

// Registers of products that may be pending: those not committed yet, then the committed groups
// from the latest; the last entry stands for all earlier groups.
class Pending {
public:
    explicit Pending(std::size_t words)
    {
        accumulators_.fill(Bits(words));
        factors_.fill(Bits(words));
    }

    void apply(const ptx::Instruction& in)
    {
        if (in.op == ptx::Op::wgmma) {
            for_registers(in.operands[0], [&](std::size_t reg) { put(accumulators_[0], reg); });
            if (in.operands[1].kind == ptx::Operand::Kind::vector)
                for_registers(in.operands[1], [&](std::size_t reg) { put(factors_[0], reg); });
        }
        if (in.op == ptx::Op::wgmma_commit)
            for (auto* all : {&accumulators_, &factors_}) {
                merge((*all)[groups - 1], (*all)[groups - 2]);
                for (std::size_t i = groups - 2; i > 0; --i) (*all)[i] = (*all)[i - 1];
                std::ranges::fill((*all)[0], 0);
            }
        if (in.op == ptx::Op::wgmma_wait)
            for (std::uint64_t i = in.operands[0].bits; i + 1 < groups; ++i)
                for (auto* all : {&accumulators_, &factors_})
                    std::ranges::fill((*all)[static_cast<std::size_t>(i) + 1], 0);
    }
    bool has_accumulator(std::size_t reg) const { return any(accumulators_, reg); }
    bool has_factor(std::size_t reg) const { return any(factors_, reg); }
    // Returns true if this has changed.
    bool join(const Pending& other)
    {
        bool changed = false;
        for (std::size_t i = 0; i < groups; ++i) {
            changed = merge(accumulators_[i], other.accumulators_[i]) || changed;
            changed = merge(factors_[i], other.factors_[i]) || changed;
        }
        return changed;
    }

private:
    static constexpr std::size_t groups = 6;
    using Groups = std::array<Bits, groups>;

    static bool merge(Bits& into, const Bits& from)
    {
        bool changed = false;
        for (std::size_t w = 0; w < into.size(); ++w) {
            changed = changed || (from[w] & ~into[w]) != 0;
            into[w] |= from[w];
        }
        return changed;
    }
    static bool any(const Groups& all, std::size_t reg)
    {
        return std::ranges::any_of(all, [&](const Bits& bits) { return is_in(bits, reg); });
    }

    Groups accumulators_, factors_;
};

// Registers used on all paths since a wait; `open` is false where there is no such path.
struct Used {
    bool open = false;
    Bits registers;

    void apply(const ptx::Instruction& in)
    {
        if (in.op == ptx::Op::wgmma_fence) open = false;
        if (in.op == ptx::Op::wgmma_wait) {
            open = true;
            std::ranges::fill(registers, 0);
        }
        // Copies don't count: compilers add them between the asm statements of CUDA C++.
        if (!open || in.op == ptx::Op::wgmma || ptx::form_of(in.op).unit == ptx::Unit::move) return;
        for (const ptx::Operand& operand : in.operands)
            for_registers(operand, [&](std::size_t reg) { put(registers, reg); });
    }
    bool join(const Used& other)
    {
        if (!other.open) return false;
        if (!open) {
            *this = other;
            return true;
        }
        bool changed = false;
        for (std::size_t w = 0; w < registers.size(); ++w) {
            changed = changed || (registers[w] & ~other.registers[w]) != 0;
            registers[w] &= other.registers[w];
        }
        return changed;
    }
};

// Calls use(instruction, state before it) for each instruction, once the states are stable.
template <class State, class Use>
void flow_forward(const ptx::Function& function, const ptx::ControlFlow& flow, const State& empty,
                  const Use& use)
{
    std::vector<State> entry(flow.blocks.size(), empty);
    std::vector<bool> reached(flow.blocks.size());
    if (!reached.empty()) reached[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
            if (!reached[block]) continue;
            State state = entry[block];
            for (int i = flow.blocks[block].begin; i < flow.blocks[block].end; ++i)
                state.apply(function.instructions[static_cast<std::size_t>(i)]);
            for (const int successor : flow.blocks[block].successors) {
                if (successor == flow.exit()) continue;
                const auto next = static_cast<std::size_t>(successor);
                changed = entry[next].join(state) || !reached[next] || changed;
                reached[next] = true;
            }
        }
    }
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        State state = entry[block];
        for (int i = flow.blocks[block].begin; i < flow.blocks[block].end; ++i) {
            use(static_cast<std::size_t>(i), state);
            state.apply(function.instructions[static_cast<std::size_t>(i)]);
        }
    }
}

bool is_suspect(const ptx::Instruction& in, const Pending& pending)
{
    const bool writes = has_destination(in);
    // Products with the same accumulators are executed in order.
    bool found = false;
    for (std::size_t i = in.op == ptx::Op::wgmma ? 1 : 0; i < in.operands.size(); ++i)
        for_registers(in.operands[i], [&](std::size_t reg) {
            found = found || pending.has_accumulator(reg) ||
                    (writes && i == 0 && pending.has_factor(reg));
        });
    return found;
}

int first_used(const ptx::Instruction& product, const Used& used)
{
    int first = -1;
    if (!used.open) return first;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
        if (product.operands[i].kind == ptx::Operand::Kind::vector)
            for_registers(product.operands[i], [&](std::size_t reg) {
                if (first < 0 && is_in(used.registers, reg)) first = static_cast<int>(reg);
            });
    return first;
}

} // namespace

EarlyUses find_early_uses(const ptx::Function& function, const ptx::ControlFlow& flow)
{
    EarlyUses found;
    const std::size_t count = function.instructions.size();
    if (std::ranges::none_of(function.instructions,
                             [](const ptx::Instruction& in) { return in.op == ptx::Op::wgmma; }))
        return found;
    found.suspects.assign(count, false);
    found.unfenced.assign(count, -1);
    const std::size_t words = (function.registers.size() + 63) / 64;
    flow_forward(function, flow, Pending(words), [&](std::size_t i, const Pending& pending) {
        found.suspects[i] = is_suspect(function.instructions[i], pending);
    });
    flow_forward(function, flow, Used{false, Bits(words)}, [&](std::size_t i, const Used& used) {
        if (function.instructions[i].op == ptx::Op::wgmma)
            found.unfenced[i] = first_used(function.instructions[i], used);
    });
    return found;
}

} // namespace lanescope::simt
