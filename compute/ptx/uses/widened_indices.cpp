// Follows registers back to the single instruction that sets them. A register that is set in
// several places, or by an instruction not listed here, is a leaf.
#include "compute/ptx/uses/widened_indices.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "compute/ptx/instructions/table.h"

namespace lanescope::ptx {

namespace {

constexpr int max_depth = 48;
constexpr std::size_t max_terms = 24;
constexpr std::size_t max_degree = 3;

// A sum of products of leaves: the factor of each product, keyed by its sorted leaves.
using Sum = std::map<std::vector<int>, std::int64_t>;

std::optional<Sum> added(Sum a, const Sum& b, std::int64_t times)
{
    for (const auto& [leaves, factor] : b) {
        std::int64_t more = 0;
        if (__builtin_mul_overflow(factor, times, &more)) return {};
        std::int64_t& sum = a[leaves];
        if (__builtin_add_overflow(sum, more, &sum)) return {};
        if (sum == 0) a.erase(leaves);
    }
    if (a.size() > max_terms) return {};
    return a;
}

std::optional<Sum> multiplied(const Sum& a, const Sum& b)
{
    Sum all;
    for (const auto& [left, left_factor] : a)
        for (const auto& [right, right_factor] : b) {
            std::vector<int> leaves = left;
            leaves.insert(leaves.end(), right.begin(), right.end());
            if (leaves.size() > max_degree) return {};
            std::ranges::sort(leaves);
            std::int64_t factor = 0;
            if (__builtin_mul_overflow(left_factor, right_factor, &factor)) return {};
            auto sum = added(std::move(all), Sum{{leaves, factor}}, 1);
            if (!sum) return {};
            all = std::move(*sum);
        }
    return all;
}

// A 64-bit value: a pointer, a multiple of a widened index and a constant, each at most once.
struct WideSum {
    int pointer = -1;
    std::int64_t pointer_offset = 0;
    std::optional<Sum> index{};
    bool is_signed = true;
    std::int64_t scale = 1;
    std::int64_t constant = 0;
};

class Sums {
public:
    explicit Sums(const Function& kernel)
        : kernel_(kernel), set_by_(kernel.registers.size(), nowhere)
    {
        for (std::size_t i = 0; i < kernel.instructions.size(); ++i) note(static_cast<int>(i));
    }

    std::optional<WideSum> wide(const Operand& operand, int depth = 0) const;
    const std::vector<IndexLeaf>& leaves() const { return leaves_; }

private:
    static constexpr int nowhere = -1, several = -2;

    void note(int index)
    {
        const Instruction& in = kernel_.instructions[static_cast<std::size_t>(index)];
        const auto destinations = static_cast<std::size_t>(form_of(in.op).destinations);
        for (std::size_t i = 0; i < destinations && i < in.operands.size(); ++i)
            note(in.operands[i], in.guard ? several : index);
    }
    void note(const Operand& operand, int index)
    {
        if (operand.reg >= 0) {
            int& by = set_by_[static_cast<std::size_t>(operand.reg)];
            by = by == nowhere ? index : several;
        }
        for (const Operand& element : operand.elements) note(element, index);
    }
    // The only instruction that sets the register; null if there is none, or more than one.
    const Instruction* setter(const Operand& operand) const
    {
        if (operand.kind != Operand::Kind::reg || operand.negated) return nullptr;
        const int by = set_by_[static_cast<std::size_t>(operand.reg)];
        return by < 0 ? nullptr : &kernel_.instructions[static_cast<std::size_t>(by)];
    }
    // Index of the kernel parameter that the instruction loads; -1: it does not load one.
    int parameter_of(const Instruction& in) const
    {
        if (in.op != Op::ld || in.modifiers.space != Space::param || in.modifiers.elements != 1)
            return -1;
        const auto found =
            std::ranges::find(kernel_.parameters, in.operands[1].symbol, &Variable::name);
        return found == kernel_.parameters.end()
                   ? -1
                   : static_cast<int>(found - kernel_.parameters.begin());
    }
    Sum leaf(IndexLeaf one) const
    {
        const auto [found, is_new] = numbers_.try_emplace(one, static_cast<int>(leaves_.size()));
        if (is_new) leaves_.push_back(std::move(one));
        return {{{found->second}, 1}};
    }
    // Empty if it cannot be written as a sum.
    std::optional<Sum> narrow(const Operand& operand, int depth) const;
    std::optional<Sum> computed(const Instruction& in, int depth) const;
    std::optional<WideSum> computed_wide(const Instruction& in, int depth) const;
    std::optional<WideSum> widened(const Instruction& in, int depth) const;
    static std::optional<WideSum> joined(std::optional<WideSum> a, const std::optional<WideSum>& b);
    static std::optional<WideSum> scaled(std::optional<WideSum> sum, std::int64_t times);

    const Function& kernel_;
    std::vector<int> set_by_; // by register: an instruction, `nowhere` or `several`
    mutable std::vector<IndexLeaf> leaves_;
    mutable std::map<IndexLeaf, int> numbers_; // in leaves_
    // Results by register.
    mutable std::map<int, std::optional<Sum>> narrow_;
    mutable std::map<int, std::optional<WideSum>> wide_;
};

bool is_constant(const Operand& operand)
{
    return operand.kind == Operand::Kind::immediate && operand.immediate_type == Type::s64;
}

std::int64_t constant(const Operand& operand)
{
    return static_cast<std::int64_t>(operand.bits);
}

bool has_bits(const Instruction& in, int bytes)
{
    return size_bytes(in.modifiers.type()) == bytes && in.modifiers.type() != Type::f32 &&
           in.modifiers.type() != Type::f64 && in.modifiers.type() != Type::f16x2 &&
           in.modifiers.type() != Type::bf16x2;
}

bool is_plain(const Instruction& in)
{
    return !in.has(Word::cc) && !in.has(Word::sat) && !in.has(Word::hi);
}

std::optional<Sum> Sums::narrow(const Operand& operand, int depth) const
{
    // As signed numbers, because a subtraction of 1 is an addition of 0xffffffff.
    if (is_constant(operand)) {
        const auto value = static_cast<std::int32_t>(static_cast<std::uint32_t>(operand.bits));
        return value == 0 ? Sum{} : Sum{{{}, value}};
    }
    if (operand.kind == Operand::Kind::special)
        return leaf({.kind = IndexLeaf::Kind::special, .special = operand.symbol});
    if (operand.kind != Operand::Kind::reg || operand.negated) return {};
    if (const Instruction* const in = setter(operand); in != nullptr && depth < max_depth) {
        const auto [known, is_new] = narrow_.try_emplace(operand.reg); // also ends cycles
        if (is_new) known->second = computed(*in, depth + 1);
        if (known->second) return known->second;
    }
    if (size_bytes(kernel_.registers[static_cast<std::size_t>(operand.reg)].type) != 4) return {};
    return leaf({.kind = IndexLeaf::Kind::reg, .reg = operand.reg});
}

std::optional<Sum> Sums::computed(const Instruction& in, int depth) const
{
    if (!has_bits(in, 4) || !is_plain(in)) return {};
    const auto of = [&](std::size_t i) { return narrow(in.operands[i], depth); };
    const auto sum = [](const std::optional<Sum>& a, const std::optional<Sum>& b,
                        std::int64_t times) -> std::optional<Sum> {
        return a && b ? added(*a, *b, times) : std::nullopt;
    };
    const auto product = [&](std::size_t i, std::size_t k) -> std::optional<Sum> {
        const auto a = of(i), b = of(k);
        return a && b ? multiplied(*a, *b) : std::nullopt;
    };
    switch (in.op) {
    case Op::mov: return of(1);
    case Op::add: return sum(of(1), of(2), 1);
    case Op::sub: return sum(of(1), of(2), -1);
    case Op::neg: return sum(Sum{}, of(1), -1);
    case Op::mul: return in.has(Word::lo) ? product(1, 2) : std::nullopt;
    case Op::mad: return in.has(Word::lo) ? sum(product(1, 2), of(3), 1) : std::nullopt;
    case Op::shl:
        if (!is_constant(in.operands[2]) || in.operands[2].bits > 31) return {};
        return sum(Sum{}, of(1), std::int64_t{1} << in.operands[2].bits);
    case Op::bit_or: { // an or of disjoint bits, as compilers write some additions
        const auto a = of(1);
        if (!a || !is_constant(in.operands[2]) || in.operands[2].bits >= (1U << 31)) return {};
        const auto step = static_cast<std::int64_t>(std::bit_ceil(in.operands[2].bits + 1));
        const bool separate =
            std::ranges::all_of(*a, [&](const auto& term) { return term.second % step == 0; });
        return separate ? sum(a, of(2), 1) : std::nullopt;
    }
    case Op::ld:
        if (const int parameter = parameter_of(in); parameter >= 0)
            return leaf({.kind = IndexLeaf::Kind::parameter,
                         .parameter = parameter,
                         .offset = in.operands[1].offset});
        return {};
    default: return {};
    }
}

std::optional<WideSum> Sums::joined(std::optional<WideSum> a, const std::optional<WideSum>& b)
{
    if (!a || !b || (a->pointer >= 0 && b->pointer >= 0) || (a->index && b->index)) return {};
    if (b->pointer >= 0) {
        a->pointer = b->pointer;
        a->pointer_offset = b->pointer_offset;
    }
    if (b->index) {
        a->index = b->index;
        a->is_signed = b->is_signed;
        a->scale = b->scale;
    }
    if (__builtin_add_overflow(a->constant, b->constant, &a->constant)) return {};
    return a;
}

std::optional<WideSum> Sums::scaled(std::optional<WideSum> sum, std::int64_t times)
{
    if (!sum || sum->pointer >= 0 || times <= 0) return {};
    if (__builtin_mul_overflow(sum->scale, times, &sum->scale) ||
        __builtin_mul_overflow(sum->constant, times, &sum->constant))
        return {};
    return sum;
}

std::optional<WideSum> Sums::widened(const Instruction& in, int depth) const
{
    const Type type = in.op == Op::cvt ? in.modifiers.source() : in.modifiers.type();
    if (type != Type::s32 && type != Type::u32) return {};
    WideSum made;
    made.index = narrow(in.operands[1], depth);
    made.is_signed = type == Type::s32;
    if (!made.index) return {};
    return made;
}

std::optional<WideSum> Sums::computed_wide(const Instruction& in, int depth) const
{
    const auto of = [&](std::size_t i) { return wide(in.operands[i], depth); };
    const bool by_constant = in.operands.size() > 2 && is_constant(in.operands[2]);
    switch (in.op) {
    case Op::mov:
    case Op::cvta: return has_bits(in, 8) ? of(1) : std::nullopt;
    case Op::ld: {
        const int parameter = parameter_of(in);
        if (parameter < 0 || !has_bits(in, 8)) return {};
        WideSum made;
        made.pointer = parameter;
        made.pointer_offset = in.operands[1].offset;
        return made;
    }
    case Op::cvt: return has_bits(in, 8) ? widened(in, depth) : std::nullopt;
    case Op::add: return has_bits(in, 8) && is_plain(in) ? joined(of(1), of(2)) : std::nullopt;
    case Op::shl:
        if (!has_bits(in, 8) || !by_constant || in.operands[2].bits > 31) return {};
        return scaled(of(1), std::int64_t{1} << in.operands[2].bits);
    case Op::mul:
    case Op::mad: {
        if (!by_constant || !is_plain(in)) return {};
        std::optional<WideSum> product;
        if (in.has(Word::wide))
            product = scaled(widened(in, depth), constant(in.operands[2]));
        else if (has_bits(in, 8))
            product = scaled(of(1), constant(in.operands[2]));
        return in.op == Op::mul ? product : joined(product, of(3));
    }
    default: return {};
    }
}

std::optional<WideSum> Sums::wide(const Operand& operand, int depth) const
{
    if (is_constant(operand)) {
        WideSum made;
        made.constant = constant(operand);
        return made;
    }
    const Instruction* const in = setter(operand);
    if (in == nullptr || depth >= max_depth) return {};
    const auto [known, is_new] = wide_.try_emplace(operand.reg);
    if (is_new) known->second = computed_wide(*in, depth + 1);
    return known->second;
}

// True if the index is more than one leaf or a constant.
bool is_arithmetic_result(const Sum& sum)
{
    return sum.size() > 1 || (sum.size() == 1 && !sum.begin()->first.empty() &&
                              (sum.begin()->first.size() > 1 || sum.begin()->second != 1));
}

std::optional<Operand> pointer_operand(const Instruction& in)
{
    const int place = form_of(in.op).address;
    if (place < 0 || static_cast<std::size_t>(place) >= in.operands.size()) return {};
    if (in.modifiers.space != Space::global && in.modifiers.space != Space::none) return {};
    const Operand& address = in.operands[static_cast<std::size_t>(place)];
    if (address.kind != Operand::Kind::address || address.reg < 0) return {};
    Operand pointer;
    pointer.kind = Operand::Kind::reg;
    pointer.reg = address.reg;
    pointer.offset = address.offset;
    return pointer;
}

// The terms with their own leaves only: a long text has many, and all of them for every access
// would take too much memory.
void set_terms(WidenedIndex& made, const Sum& sum, const std::vector<IndexLeaf>& all)
{
    std::vector<int> used; // in the order of made.leaves
    const auto number = [&](int leaf) {
        const auto found = std::ranges::find(used, leaf);
        const auto place = static_cast<int>(found - used.begin());
        if (found == used.end()) {
            used.push_back(leaf);
            made.leaves.push_back(all[static_cast<std::size_t>(leaf)]);
        }
        return place;
    };
    for (const auto& [leaves, factor] : sum) {
        IndexTerm term{.factor = factor};
        for (const int leaf : leaves) term.leaves.push_back(number(leaf));
        made.terms.push_back(std::move(term));
    }
}

std::optional<WidenedIndex> index_of(const Sums& sums, const Function& kernel, int access)
{
    const auto pointer = pointer_operand(kernel.instructions[static_cast<std::size_t>(access)]);
    if (!pointer) return {};
    const auto sum = sums.wide(*pointer);
    if (!sum || sum->pointer < 0 || !sum->index || !is_arithmetic_result(*sum->index)) return {};
    WidenedIndex made;
    made.instruction = access;
    made.pointer = sum->pointer;
    made.pointer_offset = sum->pointer_offset;
    made.scale = sum->scale;
    made.is_signed = sum->is_signed;
    if (__builtin_add_overflow(sum->constant, pointer->offset, &made.offset)) return {};
    set_terms(made, *sum->index, sums.leaves());
    return made;
}

} // namespace

std::vector<WidenedIndex> widened_indices(const Function& kernel)
{
    std::vector<WidenedIndex> all;
    if (!kernel.is_kernel) return all;
    const Sums sums(kernel);
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i)
        if (auto made = index_of(sums, kernel, static_cast<int>(i)))
            all.push_back(std::move(*made));
    return all;
}

std::optional<WidenedIndex> widened_index(const Function& kernel, int access)
{
    if (!kernel.is_kernel) return {};
    return index_of(Sums(kernel), kernel, access);
}

} // namespace lanescope::ptx
