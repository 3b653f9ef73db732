// Reads opcodes and modifiers. Every word must mean something: an instruction with a word that does
// not is refused.
#include "compute/simt/decode/row_words.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace lanescope::simt {

namespace {

using namespace rows;
using ptx::Type;

template <class Value, std::size_t Count>
using Words = std::array<std::pair<std::string_view, Value>, Count>;

template <class Value, std::size_t Count>
const Value* find(const Words<Value, Count>& words, std::string_view word)
{
    const auto found = std::find_if(words.begin(), words.end(),
                                    [&](const auto& entry) { return entry.first == word; });
    return found == words.end() ? nullptr : &found->second;
}

constexpr Words<Op, 56> opcodes = {{
    {"add", Op::add},
    {"addc", Op::add},
    {"sub", Op::sub},
    {"subc", Op::sub},
    {"mul", Op::mul},
    {"mad", Op::mad},
    {"madc", Op::mad},
    {"fma", Op::fma},
    {"div", Op::div},
    {"rem", Op::rem},
    {"min", Op::min},
    {"max", Op::max},
    {"abs", Op::abs},
    {"neg", Op::neg},
    {"sad", Op::sad},
    {"mul24", Op::mul24},
    {"mad24", Op::mad24},
    {"dp4a", Op::dp4a},
    {"dp2a", Op::dp2a},
    {"vabsdiff2", Op::vabsdiff2},
    {"vabsdiff4", Op::vabsdiff4},
    {"bfe", Op::bfe},
    {"bfi", Op::bfi},
    {"bfind", Op::bfind},
    {"brev", Op::brev},
    {"clz", Op::clz},
    {"popc", Op::popc},
    {"prmt", Op::prmt},
    {"shf", Op::shf},
    {"szext", Op::szext},
    {"bmsk", Op::bmsk},
    {"fns", Op::fns},
    {"and", Op::bit_and},
    {"or", Op::bit_or},
    {"xor", Op::bit_xor},
    {"not", Op::bit_not},
    {"cnot", Op::cnot},
    {"lop3", Op::lop3},
    {"shl", Op::shl},
    {"shr", Op::shr},
    {"sqrt", Op::sqrt},
    {"rcp", Op::rcp},
    {"rsqrt", Op::rsqrt},
    {"ex2", Op::ex2},
    {"lg2", Op::lg2},
    {"sin", Op::sin},
    {"cos", Op::cos},
    {"tanh", Op::tanh},
    {"copysign", Op::copysign},
    {"testp", Op::testp},
    {"setp", Op::setp},
    {"set", Op::set},
    {"selp", Op::selp},
    {"slct", Op::slct},
    {"cvt", Op::cvt},
    {"mov", Op::mov},
}};

constexpr Words<Type, 20> types = {{
    {"pred", Type::pred},   {"b8", Type::b8},         {"b16", Type::b16}, {"b32", Type::b32},
    {"b64", Type::b64},     {"b128", Type::b128},     {"u8", Type::u8},   {"u16", Type::u16},
    {"u32", Type::u32},     {"u64", Type::u64},       {"s8", Type::s8},   {"s16", Type::s16},
    {"s32", Type::s32},     {"s64", Type::s64},       {"f16", Type::f16}, {"bf16", Type::bf16},
    {"f16x2", Type::f16x2}, {"bf16x2", Type::bf16x2}, {"f32", Type::f32}, {"f64", Type::f64},
}};

constexpr Words<Rounding, 9> roundings = {{
    {"rn", Rounding::rn},
    {"rz", Rounding::rz},
    {"rm", Rounding::rm},
    {"rp", Rounding::rp},
    {"rna", Rounding::rna},
    {"rni", Rounding::rni},
    {"rzi", Rounding::rzi},
    {"rmi", Rounding::rmi},
    {"rpi", Rounding::rpi},
}};

constexpr Words<Compare, 18> compares = {{
    {"eq", Compare::eq},
    {"ne", Compare::ne},
    {"lt", Compare::lt},
    {"le", Compare::le},
    {"gt", Compare::gt},
    {"ge", Compare::ge},
    {"lo", Compare::lt},
    {"ls", Compare::le},
    {"hi", Compare::gt},
    {"hs", Compare::ge},
    {"equ", Compare::equ},
    {"neu", Compare::neu},
    {"ltu", Compare::ltu},
    {"leu", Compare::leu},
    {"gtu", Compare::gtu},
    {"geu", Compare::geu},
    {"num", Compare::num},
    {"nan", Compare::nan},
}};

constexpr Words<Boolean, 3> booleans = {{
    {"and", Boolean::bit_and},
    {"or", Boolean::bit_or},
    {"xor", Boolean::bit_xor},
}};

constexpr Words<Part, 5> parts = {{
    {"lo", Part::lo},
    {"hi", Part::hi},
    {"wide", Part::wide},
    {"clamp", Part::clamp},
    {"wrap", Part::wrap},
}};

constexpr Words<PermuteMode, 6> permutes = {{
    {"f4e", PermuteMode::f4e},
    {"b4e", PermuteMode::b4e},
    {"rc8", PermuteMode::rc8},
    {"ecl", PermuteMode::ecl},
    {"ecr", PermuteMode::ecr},
    {"rc16", PermuteMode::rc16},
}};

constexpr Words<Test, 6> tests = {{
    {"finite", Test::finite},
    {"infinite", Test::infinite},
    {"number", Test::number},
    {"notanumber", Test::notanumber},
    {"normal", Test::normal},
    {"subnormal", Test::subnormal},
}};

constexpr Words<bool Key::*, 11> flags = {{
    {"ftz", &Key::ftz},
    {"sat", &Key::sat},
    {"satfinite", &Key::satfinite},
    {"relu", &Key::relu},
    {"NaN", &Key::nan},
    {"xorsign", &Key::xorsign},
    {"approx", &Key::approx},
    {"full", &Key::full},
    {"cc", &Key::carry_out},
    {"shiftamt", &Key::shift_amount},
    {"tf32", &Key::tf32},
}};

// The value of a word, stored where it belongs; false when the word is not one of these.
template <class Value, std::size_t Count>
bool take(const Words<Value, Count>& words, std::string_view word, Value& target)
{
    const Value* value = find(words, word);
    if (value != nullptr) target = *value;
    return value != nullptr;
}

// Whether `word` is one that this opcode may have; types go to `found`.
bool read_word(Key& key, std::string_view word, std::vector<Type>& found)
{
    if (const Type* type = find(types, word)) {
        found.push_back(*type);
        return true;
    }
    if (key.op == Op::setp || key.op == Op::set)
        if (take(compares, word, key.compare) || take(booleans, word, key.boolean)) return true;
    if (key.op == Op::prmt && take(permutes, word, key.permute)) return true;
    if (key.op == Op::testp && take(tests, word, key.test)) return true;
    if (key.op == Op::shf && (word == "l" || word == "r")) {
        key.part = word == "l" ? Part::left_clamp : Part::right_clamp;
        return true;
    }
    if (key.op == Op::shf && (word == "clamp" || word == "wrap")) {
        const bool left = key.part == Part::left_clamp;
        if (word == "wrap") key.part = left ? Part::left_wrap : Part::right_wrap;
        return true;
    }
    if (word == "u16x2" || word == "s16x2") {
        key.packed = true;
        found.push_back(word == "u16x2" ? Type::u16 : Type::s16);
        return true;
    }
    if (key.op == Op::cvt && word == "pack") {
        key.op = Op::cvt_pack;
        return true;
    }
    if (word == "abs" && key.xorsign) return true;
    if (word == "add" && (key.op == Op::vabsdiff2 || key.op == Op::vabsdiff4))
        return key.accumulate = true;
    if (const auto* flag = find(flags, word)) {
        key.*(*flag) = true;
        return true;
    }
    return take(roundings, word, key.rounding) || take(parts, word, key.part);
}

} // namespace

std::optional<Key> read_row_key(const ptx::Instruction& instruction)
{
    Key key;
    if (!take(opcodes, instruction.opcode, key.op)) return std::nullopt;
    key.carry_in = instruction.opcode == "addc" || instruction.opcode == "subc" ||
                   instruction.opcode == "madc";
    std::vector<Type> found;
    for (const std::string& word : instruction.modifiers)
        if (!read_word(key, word, found)) return std::nullopt;
    if (found.empty()) return std::nullopt;
    key.type = found[0];
    key.source = found.size() > 1 ? found[1] : found[0];
    key.with_third = key.op == Op::cvt_pack && found.size() > 2;
    if (key.op == Op::mov && instruction.operands.size() == 2) {
        const auto& [destination, source] =
            std::tie(instruction.operands[0], instruction.operands[1]);
        const bool unpacks = destination.kind == ptx::Operand::Kind::vector;
        const bool packs = source.kind == ptx::Operand::Kind::vector;
        if (unpacks && packs) return std::nullopt;
        if (unpacks || packs) key.op = packs ? Op::pack : Op::unpack;
        key.elements =
            static_cast<int>(packs ? source.elements.size() : destination.elements.size());
    }
    return key;
}

} // namespace lanescope::simt
