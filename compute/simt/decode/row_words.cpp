// Translates the modifiers read by the instruction table to fields of a key.
#include "compute/simt/decode/row_words.h"

#include <array>
#include <utility>

namespace lanescope::simt {

namespace {

using namespace rows;
using ptx::Type;
using ptx::Word;

template <class Value, std::size_t Count>
using Words = std::array<std::pair<Word, Value>, Count>;

constexpr Words<Rounding, 10> roundings = {{
    {Word::rn, Rounding::rn},
    {Word::rz, Rounding::rz},
    {Word::rm, Rounding::rm},
    {Word::rp, Rounding::rp},
    {Word::rna, Rounding::rna},
    {Word::rni, Rounding::rni},
    {Word::rzi, Rounding::rzi},
    {Word::rmi, Rounding::rmi},
    {Word::rpi, Rounding::rpi},
    {Word::rs, Rounding::rs},
}};

constexpr Words<Compare, 18> compares = {{
    {Word::eq, Compare::eq},
    {Word::ne, Compare::ne},
    {Word::lt, Compare::lt},
    {Word::le, Compare::le},
    {Word::gt, Compare::gt},
    {Word::ge, Compare::ge},
    {Word::lo, Compare::lt},
    {Word::ls, Compare::le},
    {Word::hi, Compare::gt},
    {Word::hs, Compare::ge},
    {Word::equ, Compare::equ},
    {Word::neu, Compare::neu},
    {Word::ltu, Compare::ltu},
    {Word::leu, Compare::leu},
    {Word::gtu, Compare::gtu},
    {Word::geu, Compare::geu},
    {Word::num, Compare::num},
    {Word::nan, Compare::nan},
}};

constexpr Words<Boolean, 3> booleans = {{
    {Word::bit_and, Boolean::bit_and},
    {Word::bit_or, Boolean::bit_or},
    {Word::bit_xor, Boolean::bit_xor},
}};

constexpr Words<Part, 5> parts = {{
    {Word::lo, Part::lo},
    {Word::hi, Part::hi},
    {Word::wide, Part::wide},
    {Word::clamp, Part::clamp},
    {Word::wrap, Part::wrap},
}};

constexpr Words<PermuteMode, 6> permutes = {{
    {Word::f4e, PermuteMode::f4e},
    {Word::b4e, PermuteMode::b4e},
    {Word::rc8, PermuteMode::rc8},
    {Word::ecl, PermuteMode::ecl},
    {Word::ecr, PermuteMode::ecr},
    {Word::rc16, PermuteMode::rc16},
}};

constexpr Words<Test, 6> tests = {{
    {Word::finite, Test::finite},
    {Word::infinite, Test::infinite},
    {Word::number, Test::number},
    {Word::notanumber, Test::notanumber},
    {Word::normal, Test::normal},
    {Word::subnormal, Test::subnormal},
}};

constexpr Words<bool Key::*, 16> flags = {{
    {Word::ftz, &Key::ftz},
    {Word::sat, &Key::sat},
    {Word::satfinite, &Key::satfinite},
    {Word::relu, &Key::relu},
    {Word::propagate_nan, &Key::nan},
    {Word::xorsign, &Key::xorsign},
    {Word::approx, &Key::approx},
    {Word::full, &Key::full},
    {Word::cc, &Key::carry_out},
    {Word::shiftamt, &Key::shift_amount},
    {Word::tf32, &Key::tf32},
    {Word::add, &Key::accumulate},
    {Word::u16x2, &Key::packed},
    {Word::s16x2, &Key::packed},
    {Word::absolute, &Key::absolute},
    {Word::oob, &Key::oob},
}};

// Calls use(value) for each word of the table that the modifiers contain; most instructions have
// none.
template <const auto& words, class Use>
void for_words(const ptx::Modifiers& modifiers, const Use& use)
{
    static constexpr ptx::Modifiers all = [] {
        ptx::Modifiers made;
        for (const auto& [word, value] : words) made.add(word);
        return made;
    }();
    if (!modifiers.has_any(all)) return;
    for (const auto& [word, value] : words)
        if (modifiers.has(word)) use(value);
}

// Sets `target` to the value of the word that the modifiers contain; leaves
// it unchanged if there is none.
template <const auto& words, class Value>
void take(const ptx::Modifiers& modifiers, Value& target)
{
    for_words<words>(modifiers, [&](Value value) { target = value; });
}

// The operation without the carry input.
Op without_carry(Op op)
{
    switch (op) {
    case Op::addc: return Op::add;
    case Op::subc: return Op::sub;
    case Op::madc: return Op::mad;
    default: return op;
    }
}

Part shift_part(const ptx::Modifiers& modifiers)
{
    const bool wraps = modifiers.has(Word::wrap);
    if (modifiers.has(Word::l)) return wraps ? Part::left_wrap : Part::left_clamp;
    return wraps ? Part::right_wrap : Part::right_clamp;
}

} // namespace

std::optional<Key> read_row_key(const ptx::Instruction& instruction)
{
    const ptx::Modifiers& modifiers = instruction.modifiers;
    const ptx::Unit unit = ptx::form_of(instruction.op).unit;
    if (!ptx::is_arithmetic(unit) || modifiers.type_count() == 0 || !modifiers.not_run.empty())
        return std::nullopt;
    Key key;
    key.op = without_carry(instruction.op);
    key.unit = unit;
    key.carry_in = key.op != instruction.op;
    key.type = modifiers.type();
    key.source = modifiers.source();
    key.third = modifiers.third();
    for_words<flags>(modifiers, [&](bool Key::*flag) { key.*flag = true; });
    take<roundings>(modifiers, key.rounding);
    take<compares>(modifiers, key.compare);
    take<booleans>(modifiers, key.boolean);
    take<permutes>(modifiers, key.permute);
    take<tests>(modifiers, key.test);
    take<parts>(modifiers, key.part);
    if (key.op == Op::shf) key.part = shift_part(modifiers);
    if (key.op == Op::fma && instruction.operands.size() == 4) {
        if (instruction.operands[1].negated) key.signs = Signs::product_negated;
        if (instruction.operands[3].negated) key.signs = Signs::addend_negated;
    }
    const bool adds = key.op == Op::add || key.op == Op::sub || key.op == Op::fma;
    if (adds && modifiers.type_count() == 2 && key.type != Type::f32) return std::nullopt;
    key.three = (key.op == Op::min || key.op == Op::max) && instruction.operands.size() == 4;
    if (key.three && key.type != Type::f32) return std::nullopt;
    if (key.op == Op::mov && instruction.operands.size() == 2) {
        const ptx::Operand& destination = instruction.operands[0];
        const ptx::Operand& source = instruction.operands[1];
        const bool unpacks = destination.kind == ptx::Operand::Kind::vector;
        const bool packs = source.kind == ptx::Operand::Kind::vector;
        if (unpacks && packs &&
            (modifiers.elements != static_cast<int>(source.elements.size()) ||
             source.elements.size() != destination.elements.size()))
            return std::nullopt;
        if (unpacks != packs && modifiers.elements != 1) return std::nullopt;
        if (unpacks || packs)
            key.op = unpacks && packs ? Op::move_vector : packs ? Op::pack : Op::unpack;
        key.elements =
            static_cast<int>(packs ? source.elements.size() : destination.elements.size());
    }
    return key;
}

} // namespace lanescope::simt
