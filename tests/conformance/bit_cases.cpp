// Logic, shifts, bit fields, byte permutation, and moves that pack and unpack.
#include <fmt/format.h>

#include "tests/conformance/instruction.h"

namespace lanescope::conformance {

void add_bit_cases(std::vector<Case>& cases)
{
    const std::string_view group = "bits";
    for (const char* type : {"b16", "b32", "b64"}) {
        const std::string two = fmt::format("{0} {0}", type);
        for (const char* op : {"and", "or", "xor"})
            cases.push_back(make_case(group, {fmt::format("{}.{}", op, type), type, two}));
        for (const char* op : {"not", "cnot"})
            cases.push_back(make_case(group, {fmt::format("{}.{}", op, type), type, type}));
        const std::string shifted = fmt::format("{} amount", type);
        cases.push_back(make_case(group, {fmt::format("shl.{}", type), type, shifted}));
    }
    for (const char* type : {"u16", "s16", "u32", "s32", "u64", "s64"}) {
        const std::string shifted = fmt::format("{} amount", type);
        cases.push_back(make_case(group, {fmt::format("shr.{}", type), type, shifted}));
    }
    for (const char* type : {"u32", "s32", "u64", "s64"}) {
        const std::string field = fmt::format("{} amount amount", type);
        cases.push_back(make_case(group, {fmt::format("bfe.{}", type), type, field}));
        cases.push_back(make_case(group, {fmt::format("bfind.{}", type), "u32", type}));
        cases.push_back(make_case(group, {fmt::format("bfind.shiftamt.{}", type), "u32", type}));
    }
    for (const char* type : {"b32", "b64"}) {
        const std::string field = fmt::format("{0} {0} amount amount", type);
        cases.push_back(make_case(group, {fmt::format("bfi.{}", type), type, field}));
        cases.push_back(make_case(group, {fmt::format("clz.{}", type), "u32", type}));
        cases.push_back(make_case(group, {fmt::format("popc.{}", type), "u32", type}));
        cases.push_back(make_case(group, {fmt::format("brev.{}", type), type, type}));
    }
    // The operands are immediates, for which the driver evaluates the instruction when it compiles.
    for (const char* position : {"0", "1", "8", "16", "31", "40"})
        for (const char* length : {"0", "8", "32", "40", "255"}) {
            const std::string field = fmt::format("{}, {}", position, length);
            const auto add = [&](std::string_view op, std::string_view type,
                                 std::string_view sources, std::string_view operands) {
                cases.push_back(
                    make_case(group, {.name = fmt::format("{} {}", op, field),
                                      .destinations = type,
                                      .sources = sources,
                                      .body = fmt::format("{} %D0, {}, {};", op, operands, field),
                                      .recorded = false}));
            };
            add("bfi.b32", "b32", "b32 b32", "%A, %B");
            add("bfi.b64", "b64", "b64 b64", "%A, %B");
            for (const char* type : {"u32", "s32", "u64", "s64"})
                add(fmt::format("bfe.{}", type), type, type, "%A");
        }
    for (const char* op : {"min.f32", "max.ftz.f32", "min.NaN.f32", "max.f64"}) {
        const std::string_view type = std::string_view(op).substr(std::string_view(op).size() - 3);
        cases.push_back(make_case(group, {.name = fmt::format("{} of one register", op),
                                          .destinations = type,
                                          .sources = type,
                                          .body = fmt::format("{} %D0, %A, %A;", op),
                                          .recorded = false}));
    }
    for (const char* mode : {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"})
        cases.push_back(make_case(group, {fmt::format("prmt.b32{}", mode), "b32", "b32 b32 b32"}));
    for (const int table : {0x96, 0xe8, 0xca, 0x80, 0xfe, 0x1b, 0x6a, 0x00})
        cases.push_back(
            make_case(group, {fmt::format("lop3.b32 {:#x}", table), "b32", "b32 b32 b32",
                              fmt::format("lop3.b32 %D0, %A, %B, %C, {:#x};", table)}));
    for (const char* mode : {"l.clamp", "l.wrap", "r.clamp", "r.wrap"})
        cases.push_back(
            make_case(group, {fmt::format("shf.{}.b32", mode), "b32", "b32 b32 amount"}));
    for (const char* mode : {"clamp", "wrap"}) {
        cases.push_back(
            make_case(group, {fmt::format("bmsk.{}.b32", mode), "b32", "amount amount"}));
        cases.push_back(make_case(group, {fmt::format("szext.{}.u32", mode), "u32", "u32 amount"}));
        cases.push_back(make_case(group, {fmt::format("szext.{}.s32", mode), "s32", "s32 amount"}));
    }
    add_cases(
        cases, group,
        {
            {"fns.b32", "b32", "b32 s32",
             "and.b32 %X0, %B, 31; shr.s32 %X1, %B, 27; fns.b32 %D0, %A, %X0, %X1;"},
            {"predicates", "pred pred pred pred", "pred pred",
             "and.pred %D0, %A, %B; or.pred %D1, %A, !%B; xor.pred %D2, %A, %B; not.pred %D3, %A;"},
            {"mov.pred", "pred", "pred"},
            {"pack 2x16", "b32", "b16 b16", "mov.b32 %D0, {%A, %B};"},
            {"unpack 2x16", "b16 b16", "b32", "mov.b32 {%D0, %D1}, %A;"},
            {"pack 2x32", "b64", "b32 b32", "mov.b64 %D0, {%A, %B};"},
            {"unpack 2x32", "b32 b32", "b64", "mov.b64 {%D0, %D1}, %A;"},
            {"pack 4x16", "b64", "b16 b16 b16 b16", "mov.b64 %D0, {%A, %B, %C, %E};"},
            {"unpack 4x16", "b16 b16 b16 b16", "b64", "mov.b64 {%D0, %D1, %D2, %D3}, %A;"},
            {"unpack to a sink", "b32", "b64", "mov.b64 {_, %D0}, %A;"},
            {"mov.b32 of f32", "b32", "f32", "mov.b32 %D0, %A;"},
            {"mov.b64 of f64", "b64", "f64", "mov.b64 %D0, %A;"},
        });
}

} // namespace lanescope::conformance
