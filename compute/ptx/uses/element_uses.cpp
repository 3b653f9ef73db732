// A kernel that takes words apart reads bytes in groups of four: its integers are left unknown.
#include "compute/ptx/uses/element_uses.h"

#include <algorithm>
#include <array>
#include <vector>

#include "compute/ptx/instructions/table.h"

namespace lanescope::ptx {

namespace {

bool is_real(Type type)
{
    return type == Type::f32 || type == Type::f64;
}

bool is_immediate(const Operand& operand, std::uint64_t bits)
{
    return operand.kind == Operand::Kind::immediate && operand.bits == bits;
}

bool takes_bytes_apart(const Instruction& in)
{
    constexpr std::array<std::uint64_t, 6> masks{255,      0xff00,     0xff0000,
                                                 0xff00ff, 0x01010101, 0x80808080};
    switch (in.op) {
    case Op::prmt:
    case Op::bfe:
    case Op::bfi:
    case Op::dp4a:
    case Op::dp2a: return true;
    case Op::bit_and:
        return std::ranges::any_of(in.operands, [&](const Operand& operand) {
            return std::ranges::any_of(
                masks, [&](std::uint64_t mask) { return is_immediate(operand, mask); });
        });
    default: return form_of(in.op).unit == Unit::video;
    }
}

class Follow {
public:
    explicit Follow(const Function& kernel) : kernel_(kernel) {}

    ElementUse of(int reg, int depth)
    {
        ElementUse use = ElementUse::unknown;
        for (const Instruction& in : kernel_.instructions) {
            const auto destinations = static_cast<std::size_t>(form_of(in.op).destinations);
            for (std::size_t i = destinations; i < in.operands.size(); ++i)
                if (in.operands[i].kind == Operand::Kind::reg && in.operands[i].reg == reg)
                    use = std::max(use, in_instruction(in, i, depth));
        }
        return use;
    }

private:
    ElementUse in_instruction(const Instruction& in, std::size_t place, int depth)
    {
        constexpr int max_depth = 4;
        const Type type = in.op == Op::cvt ? in.modifiers.source() : in.modifiers.type();
        switch (in.op) {
        case Op::mov:
            return depth < max_depth && in.operands[0].reg >= 0 ? of(in.operands[0].reg, depth + 1)
                                                                : ElementUse::unknown;
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::mad:
        case Op::div:
        case Op::rem:
        case Op::cvt:
        case Op::min:
        case Op::max: return is_real(type) ? ElementUse::real : ElementUse::integer;
        case Op::setp:
        case Op::set: {
            if (is_real(type)) return ElementUse::real;
            const std::size_t other = place + 1 < in.operands.size() ? place + 1 : place - 1;
            return is_immediate(in.operands[other], 0) ? ElementUse::unknown : ElementUse::integer;
        }
        default:
            return is_arithmetic(form_of(in.op).unit) && is_real(type) ? ElementUse::real
                                                                       : ElementUse::unknown;
        }
    }

    const Function& kernel_;
};

} // namespace

ElementUse element_use(const Function& kernel, int instruction)
{
    const Instruction& in = kernel.instructions[static_cast<std::size_t>(instruction)];
    const int bytes = size_bytes(in.modifiers.type());
    if (bytes != 4 && bytes != 8) return ElementUse::unknown;
    const Effect effect = form_of(in.op).effect;
    ElementUse use = ElementUse::unknown;
    if (effect == Effect::updates || effect == Effect::reduces) {
        if (in.has(Word::add) || in.has(Word::min) || in.has(Word::max))
            use = is_real(in.modifiers.type()) ? ElementUse::real : ElementUse::integer;
    } else if (effect == Effect::reads && !in.operands.empty()) {
        Follow follow(kernel);
        const Operand& to = in.operands.front();
        if (to.reg >= 0) use = follow.of(to.reg, 0);
        for (const Operand& element : to.elements)
            if (element.reg >= 0) use = std::max(use, follow.of(element.reg, 0));
    }
    if (use == ElementUse::integer && std::ranges::any_of(kernel.instructions, takes_bytes_apart))
        return ElementUse::unknown;
    return use;
}

} // namespace lanescope::ptx
