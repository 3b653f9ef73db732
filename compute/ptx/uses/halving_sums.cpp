// Addresses are followed as sums of a shared variable, the thread's index and the halved number,
// each with a factor.
#include "compute/ptx/uses/halving_sums.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compute/ptx/control_flow/cfg.h"
#include "compute/ptx/instructions/table.h"

namespace lanescope::ptx {

namespace {

constexpr int max_steps = 16;

bool equals(const Operand& operand, std::uint64_t bits)
{
    return operand.kind == Operand::Kind::immediate && operand.bits == bits;
}

class Halving {
public:
    explicit Halving(const Function& kernel) : kernel_(kernel), setters_(kernel.registers.size())
    {
        for (const Instruction& in : kernel.instructions) {
            const auto destinations = static_cast<std::size_t>(form_of(in.op).destinations);
            for (std::size_t i = 0; i < destinations && i < in.operands.size(); ++i) {
                note(in.operands[i], in);
                for (const Operand& element : in.operands[i].elements) note(element, in);
            }
        }
    }

    std::optional<HalvingSum> find(const Module& module) const;

private:
    // A number that is halved: its root is "ntid.x" or the like, or the name of a parameter.
    struct Chain {
        std::string root;
        bool halves = false;
    };
    // Sum of terms by name: a shared variable, "tid.x" or the like, or a halved number's root.
    using Sum = std::map<std::string, std::int64_t>;
    struct Load {
        int instruction = -1;
        int block = -1; // basic block
        Sum terms{};
    };
    std::optional<std::vector<Load>> loads(const ControlFlow& flow) const;

    void note(const Operand& operand, const Instruction& in)
    {
        if (operand.reg >= 0) setters_[static_cast<std::size_t>(operand.reg)].push_back(&in);
    }
    const std::vector<const Instruction*>& setters(int reg) const
    {
        return setters_[static_cast<std::size_t>(reg)];
    }
    const Instruction* setter(const Operand& operand) const
    {
        if (operand.kind != Operand::Kind::reg || setters(operand.reg).size() != 1) return nullptr;
        return setters(operand.reg).front();
    }
    // The operand whose half the instruction computes, rounded towards 0; null: it computes
    // something else.
    const Operand* halved(const Instruction& in) const
    {
        if (in.op != Op::shr || !equals(in.operands[2], 1)) return nullptr;
        if (in.modifiers.type() != Type::s32) return &in.operands[1];
        // A signed division by 2 adds the sign first.
        const Instruction* const sum = setter(in.operands[1]);
        if (sum == nullptr || sum->op != Op::add) return &in.operands[1];
        const Instruction* const sign = setter(sum->operands[2]);
        const bool adds_sign = sign != nullptr && sign->op == Op::shr &&
                               equals(sign->operands[2], 31) &&
                               sign->operands[1].reg == sum->operands[1].reg;
        return adds_sign ? &sum->operands[1] : nullptr;
    }
    // Empty if the register can hold anything but the root or one of its halves.
    std::optional<Chain> chain(const Operand& operand, std::set<int> within) const;
    std::optional<Sum> sum(const Operand& operand, int depth) const;
    static std::optional<Sum> added(std::optional<Sum> a, const std::optional<Sum>& b,
                                    std::int64_t factor);

    const Function& kernel_;
    std::vector<std::vector<const Instruction*>> setters_; // by register
};

std::optional<Halving::Chain> Halving::chain(const Operand& operand, std::set<int> within) const
{
    if (operand.kind == Operand::Kind::special && operand.symbol.starts_with("ntid."))
        return Chain{operand.symbol};
    if (operand.kind != Operand::Kind::reg) return {};
    if (!within.insert(operand.reg).second) return Chain{}; // a loop: as its other setters say
    Chain all;
    for (const Instruction* in : setters(operand.reg)) {
        std::optional<Chain> one;
        if (in->guard) return {};
        if (in->op == Op::ld && in->modifiers.space == Space::param)
            one = Chain{in->operands[1].symbol};
        else if (in->op == Op::mov)
            one = chain(in->operands[1], within);
        else if (const Operand* const of = halved(*in); of != nullptr) {
            one = chain(*of, within);
            if (one) one->halves = true;
        }
        if (!one || (!one->root.empty() && !all.root.empty() && one->root != all.root)) return {};
        if (!one->root.empty()) all.root = one->root;
        all.halves |= one->halves;
    }
    return all;
}

std::optional<Halving::Sum> Halving::added(std::optional<Sum> a, const std::optional<Sum>& b,
                                           std::int64_t factor)
{
    if (!a || !b) return {};
    for (const auto& [name, times] : *b) (*a)[name] += factor * times;
    return a;
}

std::optional<Halving::Sum> Halving::sum(const Operand& operand, int depth) const
{
    if (depth > max_steps) return {};
    if (operand.kind == Operand::Kind::special && operand.symbol.starts_with("tid."))
        return Sum{{operand.symbol, 1}};
    if (operand.kind == Operand::Kind::symbol && operand.offset == 0)
        return Sum{{"&" + operand.symbol, 1}};
    if (operand.kind != Operand::Kind::reg) return {};
    if (const auto halves = chain(operand, {}); halves && halves->halves && !halves->root.empty())
        return Sum{{halves->root, 1}};
    const Instruction* const in = setter(operand);
    if (in == nullptr || in->guard) return {};
    const auto of = [&](std::size_t i) { return sum(in->operands[i], depth + 1); };
    const auto factor = [&](std::size_t i) -> std::int64_t {
        const Operand& by = in->operands[i];
        return by.kind == Operand::Kind::immediate ? static_cast<std::int64_t>(by.bits) : 0;
    };
    switch (in->op) {
    case Op::mov: return of(1);
    case Op::add: return added(of(1), of(2), 1);
    case Op::shl:
        return factor(2) < 1 || factor(2) > 31 ? std::nullopt
                                               : added(Sum{}, of(1), std::int64_t{1} << factor(2));
    case Op::mad: return factor(2) == 0 ? std::nullopt : added(of(3), of(1), factor(2));
    default: return {};
    }
}

// Empty if the kernel reads shared memory at an address that is no such sum.
std::optional<std::vector<Halving::Load>> Halving::loads(const ControlFlow& flow) const
{
    std::vector<Load> all;
    for (std::size_t i = 0; i < kernel_.instructions.size(); ++i) {
        const Instruction& in = kernel_.instructions[i];
        const Form& form = form_of(in.op);
        if (form.effect == Effect::calls || form.effect == Effect::updates) return {};
        if (in.modifiers.space != Space::shared || form.effect != Effect::reads) continue;
        if (form.address < 0) return {};
        const Operand& address = in.operands[static_cast<std::size_t>(form.address)];
        if (address.offset != 0) return {};
        if (address.reg < 0) continue; // the first element: the result
        Operand pointer;
        pointer.kind = Operand::Kind::reg;
        pointer.reg = address.reg;
        auto terms = sum(pointer, 0);
        if (!terms) return {};
        all.push_back({static_cast<int>(i), flow.block_of[i], std::move(*terms)});
    }
    return all;
}

std::optional<HalvingSum> Halving::find(const Module& module) const
{
    const auto all = loads(control_flow(module, kernel_));
    if (!all) return {};
    std::string root;
    std::optional<HalvingSum> found;
    for (const Load& load : *all)
        for (const auto& [name, factor] : load.terms) {
            if (name.starts_with('&') || name.starts_with("tid.")) continue;
            if (!root.empty() && root != name) return {};
            root = name;
            if (!found) found = {.instruction = load.instruction};
        }
    if (!found) return {};
    const bool is_of_block = root.starts_with("ntid.");
    found->axis = is_of_block ? root.back() - 'x' : 0;
    const std::string thread = std::string("tid.") + "xyz"[found->axis];
    std::set<int> lower_blocks, upper_blocks; // basic blocks
    for (const Load& load : *all) {
        const auto along = load.terms.find(thread);
        const auto half = load.terms.find(root);
        if (half != load.terms.end()) {
            if (along == load.terms.end() || along->second != half->second) return {};
            upper_blocks.insert(load.block);
        } else if (along != load.terms.end()) {
            lower_blocks.insert(load.block);
        } // otherwise the first element along the axis: a result
    }
    if (lower_blocks != upper_blocks) return {};
    if (is_of_block) return found;
    const auto parameter = std::ranges::find(kernel_.parameters, root, &Variable::name);
    if (parameter == kernel_.parameters.end()) return {};
    found->parameter = static_cast<int>(parameter - kernel_.parameters.begin());
    return found;
}

} // namespace

std::optional<HalvingSum> halving_sum(const Module& module, const Function& kernel)
{
    const bool halves = std::ranges::any_of(kernel.instructions, [](const Instruction& in) {
        return in.op == Op::shr && equals(in.operands[2], 1);
    });
    return halves ? Halving(kernel).find(module) : std::nullopt;
}

} // namespace lanescope::ptx
