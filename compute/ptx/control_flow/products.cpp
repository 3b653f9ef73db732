// Works per block: finds the uses of each product, the products that only sums use, and the sums.
#include "compute/ptx/control_flow/products.h"

#include <map>
#include <utility>
#include <vector>

#include "compute/ptx/control_flow/cfg.h"
#include "compute/ptx/debug/dwarf.h"
#include "compute/ptx/instructions/table.h"

namespace lanescope::ptx {

namespace {

using Kind = Operand::Kind;

template <class Visit>
void for_each_register(const Operand& operand, const Visit& visit)
{
    if (operand.reg >= 0) visit(operand.reg);
    for (const Operand& element : operand.elements) for_each_register(element, visit);
}

// True if products and sums of the instruction's type are fused, and it
// has no explicit rounding mode.
bool leaves_rounding(const Instruction& in)
{
    const Type type = in.modifiers.type();
    if (type != Type::f32 && type != Type::f64 && type != Type::f16 && type != Type::f16x2 &&
        type != Type::f32x2)
        return false;
    if (in.modifiers.type_count() != 1) return false; // add.f32.f16 is an instruction of its own
    if (in.operands.size() != 3 || in.operands[0].kind != Kind::reg) return false;
    for (const Word word : {Word::rn, Word::rz, Word::rm, Word::rp})
        if (in.has(word)) return false;
    for (std::size_t i = 1; i < 3; ++i)
        if (in.operands[i].kind != Kind::reg && in.operands[i].kind != Kind::immediate)
            return false;
    return true;
}

// A product by itself, or as the last step of a quotient: div.full and div.approx multiply by a
// reciprocal.
bool is_product(const Instruction& in)
{
    const bool divides = in.op == Op::div && in.modifiers.type() == Type::f32 &&
                         (in.has(Word::full) || in.has(Word::approx));
    return in.op == Op::mul || divides;
}

class Fusion {
public:
    explicit Fusion(Function& function)
        : function_(function), occurrences_(function.registers.size()),
          product_of_(function.registers.size(), none), written_(function.registers.size(), none)
    {
        for (const Instruction& in : function.instructions) {
            for (const Operand& operand : in.operands)
                for_each_register(operand, [&](int reg) { ++occurrences_[index(reg)]; });
            if (in.guard) ++occurrences_[index(in.guard->reg)];
        }
    }

    void look_at(const Block& block)
    {
        for (int i = block.begin; i < block.end; ++i) {
            const Instruction& in = at(i);
            if ((in.op == Op::add || in.op == Op::sub) && leaves_rounding(in)) note_sum(i);
            if (form_of(in.op).destinations > 0 && !in.operands.empty())
                for_each_register(in.operands[0], [&](int reg) {
                    written_[index(reg)] = i;
                    product_of_[index(reg)] = none;
                });
            if (is_product(in) && leaves_rounding(in) && !in.guard && !in.has(Word::sat))
                product_of_[index(in.operands[0].reg)] = i;
        }
        for (int i = block.begin; i < block.end; ++i)
            for (const Operand& operand : at(i).operands)
                for_each_register(operand, [&](int reg) { product_of_[index(reg)] = none; });
    }

    void rewrite()
    {
        std::erase_if(uses_, [&](const auto& each) {
            const int reg = at(each.first).operands[0].reg;
            return each.second != occurrences_[index(reg)] - 1;
        });
        for (const auto& [i, products] : sums_) {
            const auto first = uses_.find(products.first);
            const auto second = uses_.find(products.second);
            if (first == uses_.end() || second == uses_.end()) continue;
            uses_.erase(first->second <= second->second ? second : first);
        }
        for (const auto& [i, products] : sums_)
            if (uses_.contains(products.first))
                fuse(function_.instructions[index(i)], at(products.first), 1);
            else if (uses_.contains(products.second))
                fuse(function_.instructions[index(i)], at(products.second), 2);
    }

private:
    static constexpr int none = -1;

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    const Instruction& at(int i) const { return function_.instructions[index(i)]; }

    // Index of the mul whose product the operand holds; none if a factor has changed since then.
    int product(const Instruction& sum, const Operand& operand) const
    {
        if (operand.kind != Kind::reg || operand.negated) return none;
        const int made = product_of_[index(operand.reg)];
        if (made == none) return none;
        const Instruction& mul = at(made);
        if (mul.modifiers.type() != sum.modifiers.type() ||
            mul.has(Word::ftz) != sum.has(Word::ftz))
            return none;
        for (std::size_t i = 1; i < 3; ++i)
            if (mul.operands[i].kind == Kind::reg && written_[index(mul.operands[i].reg)] >= made)
                return none;
        return made;
    }

    void note_sum(int i)
    {
        const Instruction& sum = at(i);
        const Operand& first = sum.operands[1];
        const Operand& second = sum.operands[2];
        if (first.kind == Kind::reg && second.kind == Kind::reg && first.reg == second.reg) return;
        const std::pair<int, int> products{product(sum, first), product(sum, second)};
        for (const int each : {products.first, products.second})
            if (each != none) ++uses_[each];
        if (products.first != none || products.second != none) sums_.emplace_back(i, products);
    }

    static void fuse(Instruction& sum, const Instruction& mul, std::size_t place)
    {
        Operand a = mul.operands[1];
        Operand c = sum.operands[3 - place];
        if (sum.op == Op::sub) (place == 1 ? c : a).negated = true;
        sum.op = Op::fma;
        sum.modifiers.add(Word::rn);
        for (const Word kind : {Word::full, Word::approx})
            if (mul.has(kind)) sum.modifiers.add(kind); // the product is a quotient
        sum.operands = {sum.operands[0], std::move(a), mul.operands[2], std::move(c)};
    }

    Function& function_;
    std::vector<int> occurrences_; // per register
    std::vector<int> product_of_;  // register → mul in this block
    std::vector<int> written_;     // register → last writing instruction in this block
    std::map<int, int> uses_;      // mul → number of uses by sums
    std::vector<std::pair<int, std::pair<int, int>>> sums_; // sum → products in its two operands
};

} // namespace

void fuse_products(Module& module)
{
    if (is_debug_text(module.text)) return;
    for (Function& function : module.functions) {
        if (function.instructions.empty()) continue;
        Fusion fusion(function);
        for (const Block& block : control_flow(module, function).blocks) fusion.look_at(block);
        fusion.rewrite();
    }
}

} // namespace lanescope::ptx
