// Integer arithmetic of every width.
#include <fmt/format.h>

#include "tests/conformance/instruction.h"

namespace lanescope::conformance {

namespace {

// Replaces `{}` in the name by each of the types, which all operands share.
void add_for(std::vector<Case>& cases, std::string_view group, std::string_view pattern,
             std::initializer_list<const char*> types, int sources)
{
    for (const char* type : types) {
        std::string list = type;
        for (int i = 1; i < sources; ++i) list += std::string(" ") + type;
        cases.push_back(make_case(group, {fmt::format(fmt::runtime(pattern), type), type, list}));
    }
}

} // namespace

void add_integer_cases(std::vector<Case>& cases)
{
    const std::string_view group = "integer";
    const auto all = {"u16", "s16", "u32", "s32", "u64", "s64"};
    for (const char* pattern :
         {"add.{}", "sub.{}", "mul.lo.{}", "mul.hi.{}", "div.{}", "rem.{}", "min.{}", "max.{}"})
        add_for(cases, group, pattern, all, 2);
    for (const char* pattern : {"mad.lo.{}", "mad.hi.{}", "sad.{}"})
        add_for(cases, group, pattern, all, 3);
    add_for(cases, group, "abs.{}", {"s16", "s32", "s64"}, 1);
    add_for(cases, group, "neg.{}", {"s16", "s32", "s64"}, 1);
    add_cases(
        cases, group,
        {
            {"add.sat.s32", "s32", "s32 s32"},         {"sub.sat.s32", "s32", "s32 s32"},
            {"mad.hi.sat.s32", "s32", "s32 s32 s32"},  {"mul.wide.u16", "u32", "u16 u16"},
            {"mul.wide.s16", "s32", "s16 s16"},        {"mul.wide.u32", "u64", "u32 u32"},
            {"mul.wide.s32", "s64", "s32 s32"},        {"mad.wide.u16", "u32", "u16 u16 u32"},
            {"mad.wide.s16", "s32", "s16 s16 s32"},    {"mad.wide.u32", "u64", "u32 u32 u64"},
            {"mad.wide.s32", "s64", "s32 s32 s64"},    {"mul24.lo.u32", "u32", "u32 u32"},
            {"mul24.lo.s32", "s32", "s32 s32"},        {"mul24.hi.u32", "u32", "u32 u32"},
            {"mul24.hi.s32", "s32", "s32 s32"},        {"mad24.lo.u32", "u32", "u32 u32 u32"},
            {"mad24.lo.s32", "s32", "s32 s32 s32"},    {"mad24.hi.u32", "u32", "u32 u32 u32"},
            {"mad24.hi.s32", "s32", "s32 s32 s32"},    {"mad24.hi.sat.s32", "s32", "s32 s32 s32"},
            {"dp4a.u32.u32", "u32", "u32 u32 u32"},    {"dp4a.u32.s32", "s32", "u32 s32 s32"},
            {"dp4a.s32.u32", "s32", "s32 u32 s32"},    {"dp4a.s32.s32", "s32", "s32 s32 s32"},
            {"dp2a.lo.u32.u32", "u32", "u32 u32 u32"}, {"dp2a.lo.u32.s32", "s32", "u32 s32 s32"},
            {"dp2a.hi.s32.u32", "s32", "s32 u32 s32"}, {"dp2a.hi.s32.s32", "s32", "s32 s32 s32"},
            {"add.u16x2", "b32", "b32 b32"},           {"add.s16x2", "b32", "b32 b32"},
            {"min.u16x2", "b32", "b32 b32"},           {"min.s16x2", "b32", "b32 b32"},
            {"min.relu.s16x2", "b32", "b32 b32"},      {"max.u16x2", "b32", "b32 b32"},
            {"max.s16x2", "b32", "b32 b32"},           {"max.relu.s16x2", "b32", "b32 b32"},
            {"min.relu.s32", "s32", "s32 s32"},        {"max.relu.s32", "s32", "s32 s32"},
        });
    add_cases(cases, "carry",
              {
                  {"add.cc.u32 addc.u32", "u32 u32", "u32 u32 u32 u32",
                   "add.cc.u32 %D0, %A, %C; addc.u32 %D1, %B, %E;"},
                  {"addc.cc.u32 chain", "u32 u32 u32", "u32 u32 u32",
                   "add.cc.u32 %D0, %A, %B; addc.cc.u32 %D1, %B, %C; addc.u32 %D2, %C, %A;"},
                  {"sub.cc.u32 subc.u32", "u32 u32", "u32 u32 u32 u32",
                   "sub.cc.u32 %D0, %A, %C; subc.u32 %D1, %B, %E;"},
                  {"subc.cc.s32 chain", "s32 s32 s32", "s32 s32 s32",
                   "sub.cc.s32 %D0, %A, %B; subc.cc.s32 %D1, %B, %C; subc.s32 %D2, %C, %A;"},
                  {"add.cc.u64 addc.u64", "u64 u64", "u64 u64 u64 u64",
                   "add.cc.u64 %D0, %A, %C; addc.u64 %D1, %B, %E;"},
                  {"sub.cc.u64 subc.u64", "u64 u64", "u64 u64 u64 u64",
                   "sub.cc.u64 %D0, %A, %C; subc.u64 %D1, %B, %E;"},
                  {"mad.lo.cc.u32 madc.hi.u32", "u32 u32", "u32 u32 u32 u32",
                   "mad.lo.cc.u32 %D0, %A, %B, %C; madc.hi.u32 %D1, %A, %B, %E;"},
                  {"mad.hi.cc.s32 addc.s32", "s32 s32", "s32 s32 s32 s32",
                   "mad.hi.cc.s32 %D0, %A, %B, %C; addc.s32 %D1, %E, 0;"},
                  {"madc.lo.cc.u32 addc.u32", "u32 u32 u32", "u32 u32 u32 u32",
                   "add.cc.u32 %D0, %A, %B; madc.lo.cc.u32 %D1, %A, %C, %E; addc.u32 %D2, %C, %E;"},
                  {"mad.lo.cc.u64 madc.hi.u64", "u64 u64", "u64 u64 u64 u64",
                   "mad.lo.cc.u64 %D0, %A, %B, %C; madc.hi.u64 %D1, %A, %B, %E;"},
              });
}

} // namespace lanescope::conformance
