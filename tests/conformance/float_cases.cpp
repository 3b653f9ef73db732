// f32 and f64: everything IEEE 754 defines, in four rounding modes, with flushing and saturation;
// and approximate instructions, bit-exact where the special-function unit is modelled.
#include <fmt/format.h>

#include "tests/conformance/instruction.h"

namespace lanescope::conformance {

namespace {

void add_rounded(std::vector<Case>& cases, std::string_view group, std::string_view op, int sources,
                 bool saturates)
{
    const char* const lists[2][3] = {{"f32", "f32 f32", "f32 f32 f32"},
                                     {"f64", "f64 f64", "f64 f64 f64"}};
    for (const char* mode : {"rn", "rz", "rm", "rp"}) {
        for (const char* flags : {"", ".ftz", ".sat", ".ftz.sat"}) {
            if (!saturates && std::string_view(flags).ends_with("sat")) continue;
            // Saturation does not depend on the rounding mode, so two modes suffice.
            if (std::string_view(flags).ends_with("sat") && (mode[1] == 'm' || mode[1] == 'p'))
                continue;
            cases.push_back(make_case(group, {fmt::format("{}.{}{}.f32", op, mode, flags), "f32",
                                              lists[0][sources - 1]}));
        }
        cases.push_back(
            make_case(group, {fmt::format("{}.{}.f64", op, mode), "f64", lists[1][sources - 1]}));
    }
}

} // namespace

void add_float_cases(std::vector<Case>& cases)
{
    const std::string_view group = "float";
    for (const char* op : {"add", "sub", "mul"}) add_rounded(cases, group, op, 2, true);
    add_rounded(cases, group, "fma", 3, true);
    add_rounded(cases, group, "div", 2, false);
    add_rounded(cases, group, "sqrt", 1, false);
    add_rounded(cases, group, "rcp", 1, false);
    for (const char* op : {"min", "max"}) {
        for (const char* flags :
             {"", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
            cases.push_back(
                make_case(group, {fmt::format("{}{}.f32", op, flags), "f32", "f32 f32"}));
        cases.push_back(make_case(group, {fmt::format("{}.f64", op), "f64", "f64 f64"}));
    }
    for (const char* op : {"abs", "neg"})
        add_cases(cases, group,
                  {{fmt::format("{}.f32", op), "f32", "f32"},
                   {fmt::format("{}.ftz.f32", op), "f32", "f32"},
                   {fmt::format("{}.f64", op), "f64", "f64"}});
    for (const char* type : {"f32", "f64"}) {
        const std::string two = fmt::format("{0} {0}", type);
        cases.push_back(make_case(group, {fmt::format("copysign.{}", type), type, two}));
        for (const char* kind :
             {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
            cases.push_back(
                make_case(group, {fmt::format("testp.{}.{}", kind, type), "pred", type}));
    }
    cases.push_back(make_case(group, {"mad.rn.f32", "f32", "f32 f32 f32"}));
    cases.push_back(make_case(group, {"mad.rz.f64", "f64", "f64 f64 f64"}));
}

void add_approximate_cases(std::vector<Case>& cases)
{
    const std::string_view group = "approximate";
    for (const char* ftz : {"", ".ftz"}) {
        const auto named = [&](std::string_view op) { return fmt::format("{}{}.f32", op, ftz); };
        add_cases(cases, group,
                  {
                      {named("div.approx"), "f32", "f32 f32"},
                      {named("div.full"), "f32", "f32 f32"},
                      {named("rcp.approx"), "f32", "f32"},
                      {named("sqrt.approx"), "f32", "f32"},
                      {named("rsqrt.approx"), "f32", "f32"},
                      {named("ex2.approx"), "f32", "f32"},
                      {named("lg2.approx"), "f32", "f32"},
                      {named("sin.approx"), "f32", "f32",
                       fmt::format("rem.u32 %X0, %index, 641; cvt.rn.f32.u32 %A, %X0; fma.rn.f32 "
                                   "%A, %A, 0f3C20D97C, 0fC0490FDB; sin.approx{}.f32 %D0, %A;",
                                   ftz)},
                      {named("cos.approx"), "f32", "f32",
                       fmt::format("rem.u32 %X0, %index, 641; cvt.rn.f32.u32 %A, %X0; fma.rn.f32 "
                                   "%A, %A, 0f3C20D97C, 0fC0490FDB; cos.approx{}.f32 %D0, %A;",
                                   ftz)},
                  });
    }
    add_cases(cases, group,
              {
                  {"sin.approx of special values", "f32", "f32",
                   "mul.f32 %A, %A, 0f00000000; sin.approx.f32 %D0, %A;"},
                  {"cos.approx of special values", "f32", "f32",
                   "mul.f32 %A, %A, 0f00000000; cos.approx.f32 %D0, %A;"},
                  {"tanh.approx.f32", "f32", "f32"},
                  {"rcp.approx.ftz.f64", "f64", "f64"},
                  {"rsqrt.approx.ftz.f64", "f64", "f64"},
                  {"rsqrt.approx.f64", "f64", "f64"},
                  {"ex2.approx.f16", "f16", "f16"},
                  {"ex2.approx.f16x2", "f16x2", "f16x2"},
                  {"ex2.approx.ftz.bf16", "bf16", "bf16"},
                  {"ex2.approx.ftz.bf16x2", "bf16x2", "bf16x2"},
                  {"tanh.approx.f16", "f16", "f16"},
                  {"tanh.approx.f16x2", "f16x2", "f16x2"},
                  {"tanh.approx.bf16", "bf16", "bf16"},
                  {"tanh.approx.bf16x2", "bf16x2", "bf16x2"},
              });
}

} // namespace lanescope::conformance
