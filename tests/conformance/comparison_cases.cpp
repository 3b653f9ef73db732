// setp, set, selp and slct.
#include <fmt/format.h>

#include "tests/conformance/instruction.h"

namespace lanescope::conformance {

namespace {

// A comparison with these modifiers, into p and q where the type supports both (scalar halves have
// p only). `more` is a third source, in the instruction's spelling.
Case comparison_case(std::string_view modifiers, std::string_view type, std::string_view more = "")
{
    const bool single = type == "f16" || type == "bf16";
    const std::string name = fmt::format("setp.{}.{}{}", modifiers, type,
                                         more.starts_with("!") ? " of a negated predicate" : "");
    const std::string sources = fmt::format("{0} {0}{1}", type, more.empty() ? "" : " pred");
    const std::string body =
        fmt::format("setp.{}.{} {}, %A, %B{}{};", modifiers, type, single ? "%D0" : "%D0|%D1",
                    more.empty() ? "" : ", ", more);
    return make_case("comparison", {name, single ? "pred" : "pred pred", sources, body});
}

// All comparisons of a type, one kernel each.
void add_setp(std::vector<Case>& cases, std::string_view type,
              std::initializer_list<const char*> comparisons)
{
    for (const char* comparison : comparisons) cases.push_back(comparison_case(comparison, type));
}

} // namespace

void add_comparison_cases(std::vector<Case>& cases)
{
    const std::string_view group = "comparison";
    for (const char* type : {"s16", "s32", "s64"})
        add_setp(cases, type, {"eq", "ne", "lt", "le", "gt", "ge"});
    for (const char* type : {"u16", "u32", "u64"})
        add_setp(cases, type, {"eq", "ne", "lo", "ls", "hi", "hs", "lt", "ge"});
    for (const char* type : {"b16", "b32", "b64"}) add_setp(cases, type, {"eq", "ne"});
    const auto floating = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                           "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    for (const char* type : {"f32", "f64", "f16", "bf16", "f16x2", "bf16x2"})
        add_setp(cases, type, floating);
    for (const char* comparison : {"eq", "lt", "geu", "nan"})
        for (const char* type : {"f32", "f16", "f16x2"})
            cases.push_back(comparison_case(fmt::format("{}.ftz", comparison), type));
    for (const char* boolean : {"and", "or", "xor"}) {
        for (const char* type : {"s32", "u64", "f32", "f64", "f16", "bf16x2"})
            cases.push_back(comparison_case(fmt::format("lt.{}", boolean), type, "%C"));
        cases.push_back(comparison_case(fmt::format("gt.{}", boolean), "s32", "!%C"));
        cases.push_back(
            make_case(group, {fmt::format("set.le.{}.u32.f32", boolean), "u32", "f32 f32 pred"}));
    }
    add_cases(cases, group,
              {
                  {"set.eq.u32.s32", "u32", "s32 s32"},
                  {"set.lt.s32.u32", "s32", "u32 u32"},
                  {"set.gt.f32.s32", "f32", "s32 s32"},
                  {"set.ne.u32.f32", "u32", "f32 f32"},
                  {"set.ltu.f32.f32", "f32", "f32 f32"},
                  {"set.ge.ftz.f32.f32", "f32", "f32 f32"},
                  {"set.lt.u32.f64", "u32", "f64 f64"},
                  {"set.nan.f32.f64", "f32", "f64 f64"},
                  {"set.eq.u32.u16", "u32", "u16 u16"},
                  {"set.le.u32.s64", "u32", "s64 s64"},
                  {"set.lt.f16.f16", "f16", "f16 f16"},
                  {"set.equ.u32.f16", "u32", "f16 f16"},
                  {"set.gt.u16.f16", "u16", "f16 f16"},
                  {"set.lt.f16x2.f16x2", "f16x2", "f16x2 f16x2"},
                  {"set.geu.u32.f16x2", "u32", "f16x2 f16x2"},
                  {"set.lt.bf16.bf16", "bf16", "bf16 bf16"},
                  {"set.ne.bf16x2.bf16x2", "bf16x2", "bf16x2 bf16x2"},
                  {"set.num.u32.bf16x2", "u32", "bf16x2 bf16x2"},
                  {"selp.b16", "b16", "b16 b16 pred"},
                  {"selp.b32", "b32", "b32 b32 pred"},
                  {"selp.b64", "b64", "b64 b64 pred"},
                  {"selp.f32", "f32", "f32 f32 pred"},
                  {"selp.f64", "f64", "f64 f64 pred"},
                  {"slct.b32.s32", "b32", "b32 b32 s32"},
                  {"slct.u64.s32", "u64", "u64 u64 s32"},
                  {"slct.f32.f32", "f32", "f32 f32 f32"},
                  {"slct.ftz.s32.f32", "s32", "s32 s32 f32"},
                  {"slct.f64.f32", "f64", "f64 f64 f32"},
                  {"slct.b16.s32", "b16", "b16 b16 s32"},
              });
}

} // namespace lanescope::conformance
