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

namespace lanescope::simt::native {

namespace {

using rows::Boolean;
using rows::Compare;
using Words = std::pair<const char*, Operation>;

constexpr Words plain_forms[] = {
    {"mov.b32", Operation::move32},
    {"mov.b64", Operation::move64},
    {"mov.pred", Operation::move_predicate},
    {"add.u32", Operation::add32},
    {"add.s32", Operation::add32},
    {"sub.u32", Operation::sub32},
    {"sub.s32", Operation::sub32},
    {"mul.lo.u32", Operation::multiply32},
    {"mul.lo.s32", Operation::multiply32},
    {"mad.lo.u32", Operation::multiply_add32},
    {"mad.lo.s32", Operation::multiply_add32},
    {"mul.hi.u32", Operation::high_u32},
    {"mul.hi.s32", Operation::high_s32},
#ifndef __wasm__ // the WebAssembly emitter has no integer division
    {"div.s32", Operation::divide_s32},
    {"div.u32", Operation::divide_u32},
    {"rem.s32", Operation::remainder_s32},
    {"rem.u32", Operation::remainder_u32},
#endif
    {"mul.wide.u32", Operation::wide_u32},
    {"mul.wide.s32", Operation::wide_s32},
    {"mad.wide.u32", Operation::wide_add_u32},
    {"mad.wide.s32", Operation::wide_add_s32},
    {"min.s32", Operation::min_s32},
    {"max.s32", Operation::max_s32},
    {"min.u32", Operation::min_u32},
    {"max.u32", Operation::max_u32},
    {"abs.s32", Operation::abs32},
    {"neg.s32", Operation::negate32},
    {"add.u64", Operation::add64},
    {"add.s64", Operation::add64},
    {"sub.u64", Operation::sub64},
    {"sub.s64", Operation::sub64},
    {"mul.lo.u64", Operation::multiply64},
    {"mul.lo.s64", Operation::multiply64},
    {"neg.s64", Operation::negate64},
    {"and.b32", Operation::and32},
    {"or.b32", Operation::or32},
    {"xor.b32", Operation::xor32},
    {"not.b32", Operation::not32},
    {"and.b64", Operation::and64},
    {"or.b64", Operation::or64},
    {"xor.b64", Operation::xor64},
    {"not.b64", Operation::not64},
    {"and.pred", Operation::and_predicate},
    {"or.pred", Operation::or_predicate},
    {"xor.pred", Operation::xor_predicate},
    {"not.pred", Operation::not_predicate},
    {"shl.b32", Operation::left32},
    {"shr.u32", Operation::right_u32},
    {"shr.s32", Operation::right_s32},
    {"shl.b64", Operation::left64},
    {"shr.u64", Operation::right_u64},
    {"shr.s64", Operation::right_s64},
    {"shf.l.wrap.b32", Operation::funnel_left_wrap},
    {"shf.l.clamp.b32", Operation::funnel_left_clamp},
    {"shf.r.wrap.b32", Operation::funnel_right_wrap},
    {"shf.r.clamp.b32", Operation::funnel_right_clamp},
    {"selp.b32", Operation::select32},
    {"selp.b64", Operation::select64},
    {"add.rn.f32", Operation::add_f32},
    {"sub.rn.f32", Operation::sub_f32},
    {"mul.rn.f32", Operation::multiply_f32},
    {"fma.rn.f32", Operation::fused_f32},
    {"div.rn.f32", Operation::divide_f32},
    {"rcp.rn.f32", Operation::reciprocal_f32},
    {"sqrt.rn.f32", Operation::root_f32},
    {"min.f32", Operation::min_f32},
    {"max.f32", Operation::max_f32},
    {"abs.f32", Operation::abs_f32},
    {"neg.f32", Operation::negate_f32},
    {"cvt.rni.f32.f32", Operation::nearest_f32},
    {"cvt.rmi.f32.f32", Operation::down_f32},
    {"cvt.rpi.f32.f32", Operation::up_f32},
    {"cvt.rzi.f32.f32", Operation::cut_f32},
    {"add.rn.f64", Operation::add_f64},
    {"sub.rn.f64", Operation::sub_f64},
    {"mul.rn.f64", Operation::multiply_f64},
#ifndef __wasm__ // not available in WebAssembly
    {"fma.rn.f64", Operation::fused_f64},
#endif
    {"div.rn.f64", Operation::divide_f64},
    {"cvt.rn.f32.s32", Operation::f32_from_s32},
    {"cvt.rn.f32.u32", Operation::f32_from_u32},
    {"cvt.rn.f64.s32", Operation::f64_from_s32},
    {"cvt.rn.f64.u32", Operation::f64_from_u32},
    {"cvt.f64.f32", Operation::f64_from_f32},
    {"cvt.rn.f32.f64", Operation::f32_from_f64},
    {"cvt.rzi.s32.f32", Operation::s32_from_f32},
    {"cvt.rzi.u32.f32", Operation::u32_from_f32},
    {"cvt.u64.u32", Operation::extend_u32},
    {"cvt.s64.u32", Operation::extend_u32},
    {"cvt.s64.s32", Operation::extend_s32},
    {"cvt.u64.s32", Operation::extend_s32},
    {"cvt.u32.u64", Operation::low_half},
    {"cvt.s32.u64", Operation::low_half},
    {"cvt.u32.s64", Operation::low_half},
    {"cvt.s32.s64", Operation::low_half},
    {"cvt.u32.s32", Operation::move32},
    {"cvt.s32.u32", Operation::move32},
    {"cvt.u32.u32", Operation::move32},
    {"cvt.s32.s32", Operation::move32},
    {"cvt.u32.u16", Operation::low_u16},
    {"cvt.s32.u16", Operation::low_u16},
    {"cvt.u32.s16", Operation::low_s16},
    {"cvt.s32.s16", Operation::low_s16},
    {"cvt.u16.u32", Operation::low_u16},
    {"cvt.u16.s32", Operation::low_u16},
    {"cvt.s16.u32", Operation::low_s16},
    {"cvt.s16.s32", Operation::low_s16},
    {"cvt.u32.u8", Operation::low_u8},
    {"cvt.s32.u8", Operation::low_u8},
    {"cvt.u32.s8", Operation::low_s8},
    {"cvt.s32.s8", Operation::low_s8},
};

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
    for (const auto& [words, operation] : plain_forms) add(forms, words, isa, {operation});
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
