// cvt between all types, with every rounding mode.
#include <string>

#include <fmt/format.h>

#include "tests/conformance/instruction.h"

namespace lanescope::conformance {

namespace {

constexpr const char* integers[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};

// 8-bit results are read from a wider register, where cvt puts them.
std::string result_type(std::string_view type)
{
    return type == "u8" || type == "s8" ? "b32" : std::string(type);
}

// True if a value of one integer type may not fit in the other; only then `.sat` is allowed.
bool can_exceed(std::string_view from, std::string_view to)
{
    const int from_bits = std::stoi(std::string(from.substr(1)));
    const int to_bits = std::stoi(std::string(to.substr(1)));
    if (from[0] == to[0]) return from_bits > to_bits;
    return from[0] == 's' || from_bits >= to_bits;
}

void convert(std::vector<Case>& cases, std::string_view modifiers, std::string_view to,
             std::string_view from)
{
    const std::string destination = result_type(to);
    const std::string source{from};
    cases.push_back(make_case(
        "conversion", {fmt::format("cvt{}.{}.{}", modifiers, to, from), destination, source}));
}

} // namespace

void add_conversion_cases(std::vector<Case>& cases)
{
    for (const char* to : integers)
        for (const char* from : integers) {
            if (std::string_view(to) == from) continue;
            convert(cases, "", to, from);
            if (can_exceed(from, to)) convert(cases, ".sat", to, from);
        }
    for (const char* integer : integers) {
        for (const char* floating : {"f32", "f64", "f16"}) {
            for (const char* mode : {".rni", ".rzi", ".rmi", ".rpi"})
                convert(cases, mode, integer, floating);
            for (const char* mode : {".rn", ".rz", ".rm", ".rp"})
                convert(cases, mode, floating, integer);
        }
        convert(cases, ".rmi.ftz", integer, "f32");
        convert(cases, ".rn.sat", "f32", integer);
        if (std::string_view(integer).ends_with('8'))
            continue; // no bf16 conversions exist for these
        convert(cases, ".rzi", integer, "bf16");
        convert(cases, ".rpi", integer, "bf16");
        convert(cases, ".rn", "bf16", integer);
        convert(cases, ".rz", "bf16", integer);
    }
    for (const char* mode : {".rn", ".rz", ".rm", ".rp"}) {
        convert(cases, mode, "f32", "f64");
        convert(cases, fmt::format("{}.ftz", mode), "f32", "f64");
        convert(cases, mode, "f16", "f32");
        convert(cases, mode, "f16", "f64");
        convert(cases, mode, "bf16", "f64");
        convert(cases, mode, "bf16", "f32");
        convert(cases, mode, "bf16", "f16");
        convert(cases, mode, "f16", "bf16");
    }
    for (const char* mode : {".rni", ".rzi", ".rmi", ".rpi"}) {
        for (const char* type : {"f32", "f64", "f16", "bf16"}) convert(cases, mode, type, type);
        convert(cases, fmt::format("{}.ftz", mode), "f32", "f32");
    }
    for (const char* flags : {".ftz", ".sat", ".ftz.sat"}) convert(cases, flags, "f32", "f32");
    for (const char* from : {"f16", "bf16"}) {
        convert(cases, "", "f32", from);
        convert(cases, "", "f64", from);
    }
    convert(cases, ".sat", "f32", "f16");
    convert(cases, "", "f64", "f32");
    convert(cases, ".ftz", "f64", "f32");
    convert(cases, ".sat", "f64", "f64");
    convert(cases, ".rn.sat", "f32", "f64");
    for (const char* flags : {".rn.ftz", ".rn.sat", ".rn.relu", ".rz.relu"})
        convert(cases, flags, "f16", "f32");
    for (const char* flags : {".rn.relu", ".rz.relu"}) convert(cases, flags, "bf16", "f32");
    for (const char* type : {"f16x2", "bf16x2"})
        for (const char* flags : {".rn", ".rz", ".rn.relu", ".rz.relu"}) {
            const std::string name = fmt::format("cvt{}.{}.f32", flags, type);
            cases.push_back(make_case("conversion", {name, type, "f32 f32"}));
        }
    add_cases(cases, "conversion",
              {
                  {"cvt.rna.tf32.f32", "b32", "f32"},
                  {"cvt.rn.tf32.f32", "b32", "f32"},
                  {"cvt.rz.tf32.f32", "b32", "f32"},
                  {"cvt.pack.sat.u16.s32", "b32", "s32 s32"},
                  {"cvt.pack.sat.s16.s32", "b32", "s32 s32"},
                  {"cvt.pack.sat.u8.s32.b32", "b32", "s32 s32 b32"},
                  {"cvt.pack.sat.s8.s32.b32", "b32", "s32 s32 b32"},
              });
}

} // namespace lanescope::conformance
