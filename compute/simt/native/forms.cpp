// Maps instruction words to forms. Types that differ in name only share a row function, and thus a
// form.
#include "compute/simt/native/forms.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compute/ptx/instructions/table.h"
#include "compute/text.h"

namespace lanescope::simt::native {

namespace {

using rows::Boolean;
using rows::Compare;
using Words = std::pair<const char*, Operation>;

#ifdef __wasm__ // which has no integer division, and no fused multiply-add of f64
#define NOT_IN_WASM(instructions) ""
#else
#define NOT_IN_WASM(instructions) instructions
#endif
// Instructions by their words, separated by blanks.
constexpr Words plain_forms[] = {
#define OPERATION(name, instructions, x64, wasm) {instructions, Operation::name},
#include "compute/simt/native/operations.def"
};
#undef NOT_IN_WASM

constexpr std::pair<const char*, Operation> compared_types[] = {
    {"s32", Operation::compare_s32}, {"u32", Operation::compare_u32},
    {"b32", Operation::compare_u32}, {"s64", Operation::compare_s64},
    {"u64", Operation::compare_u64}, {"b64", Operation::compare_u64},
    {"f32", Operation::compare_f32}, {"f64", Operation::compare_f64},
    {"s16", Operation::compare_s16}, {"u16", Operation::compare_u16},
    {"b16", Operation::compare_u16},
};
constexpr std::pair<const char*, Compare> comparisons[] = {
    {"eq", Compare::eq},   {"ne", Compare::ne},   {"lt", Compare::lt},   {"le", Compare::le},
    {"gt", Compare::gt},   {"ge", Compare::ge},   {"equ", Compare::equ}, {"neu", Compare::neu},
    {"ltu", Compare::ltu}, {"leu", Compare::leu}, {"gtu", Compare::gtu}, {"geu", Compare::geu},
    {"num", Compare::num}, {"nan", Compare::nan},
};
constexpr std::pair<const char*, Boolean> booleans[] = {
    {"", Boolean::none},
    {".and", Boolean::bit_and},
    {".or", Boolean::bit_or},
    {".xor", Boolean::bit_xor},
};

std::uint8_t bytes_of(ptx::Type type)
{
    if (type == ptx::Type::pred) return 0;
    return static_cast<std::uint8_t>(std::max(ptx::size_bytes(type), 4));
}

using Forms = std::unordered_map<RowFunction, Form>;

void add(Forms& forms, const std::string& text, Isa isa, Form form)
{
    std::string_view words = text;
    std::size_t end = std::min(words.find('.'), words.size());
    const std::string_view opcode = words.substr(0, end);
    std::vector<std::string_view> modifiers;
    while (end < words.size()) {
        words.remove_prefix(end + 1);
        end = std::min(words.find('.'), words.size());
        modifiers.push_back(words.substr(0, end));
    }
    const ptx::Reading reading = ptx::read_words(opcode, modifiers);
    if (reading.form == nullptr) return;
    ptx::Instruction instruction;
    instruction.op = reading.form->op;
    instruction.modifiers = reading.modifiers;
    instruction.operands.resize(3);
    for (ptx::Operand& operand : instruction.operands) operand.kind = ptx::Operand::Kind::reg;
    const auto found = find_row_operation(instruction, isa);
    if (!found || found->source_count > 3) return;
    form.destination = bytes_of(found->destinations[0]);
    form.sources = static_cast<std::uint8_t>(found->source_count);
    for (std::size_t i = 0; i < form.sources; ++i) form.source[i] = bytes_of(found->sources[i]);
    forms.emplace(found->run, form);
}

Forms forms_of(Isa isa)
{
    Forms forms;
    for (const auto& [instructions, operation] : plain_forms)
        for (const std::string_view words : parts(instructions, ' '))
            add(forms, std::string(words), isa, {operation});
    for (const auto& [type, operation] : compared_types)
        for (const auto& [name, compare] : comparisons)
            for (const auto& [combined, boolean] : booleans)
                add(forms, std::string("setp.") + name + combined + "." + type, isa,
                    {operation, compare, boolean});
    return forms;
}

// Built per instruction set on first use: most programs need only one, and building three would be
// noticeable in short launches. Never destroyed: kernels may still be launched at exit.
const Forms& known_forms(Isa isa)
{
    if (isa == Isa::avx512) {
        static const Forms& forms = *new Forms(forms_of(Isa::avx512));
        return forms;
    }
    if (isa == Isa::avx2) {
        static const Forms& forms = *new Forms(forms_of(Isa::avx2));
        return forms;
    }
    static const Forms& forms = *new Forms(forms_of(Isa::baseline));
    return forms;
}

} // namespace

const Form* find_form(RowFunction run, Isa isa)
{
    const Forms& forms = known_forms(isa);
    const auto found = forms.find(run);
    return found == forms.end() ? nullptr : &found->second;
}

} // namespace lanescope::simt::native
