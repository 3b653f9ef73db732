// Instructions of sm_90 that NVIDIA's compilers emit only on request: fma.oob, cvt.pack to 4 and 2
// bits, lop3 with a predicate, and saturating SIMD video instructions. Not recorded yet.
#include <fmt/format.h>

#include "tests/conformance/instruction.h"

namespace lanescope::conformance {

namespace {

Instruction newer(std::string name, std::string_view destinations, std::string_view sources,
                  std::string body = {})
{
    Instruction made;
    made.name = std::move(name);
    made.destinations = destinations;
    made.sources = sources;
    made.body = std::move(body);
    made.version = "8.3";
    return made;
}

} // namespace

void add_newer_cases(std::vector<Case>& cases)
{
    const std::string_view group = "newer";
    const auto add = [&](const Instruction& instruction) {
        cases.push_back(make_case(group, instruction));
    };
    for (const char* type : {"f16", "f16x2", "bf16", "bf16x2"})
        for (const char* flags : {"", ".relu"}) {
            const std::string three = fmt::format("{0} {0} {0}", type);
            add(newer(fmt::format("fma.rn.oob{}.{}", flags, type), type, three));
        }
    for (const char* type : {"u4", "s4", "u2", "s2"})
        add(newer(fmt::format("cvt.pack.sat.{}.s32.b32", type), "b32", "s32 s32 b32"));
    for (const char* op : {"and", "or"})
        add(newer(
            fmt::format("lop3.{}.b32", op), "b32 pred", "b32 b32 b32",
            fmt::format("setp.lt.s32 %P, %A, 0; lop3.{}.b32 %D0|%D1, %A, %B, %C, 0x96, %P;", op)));
    for (const char* op : {"vabsdiff2", "vmin2", "vmax2", "vabsdiff4", "vmin4", "vmax4"})
        for (const char* types : {"u32.u32.u32", "s32.s32.s32", "u32.s32.u32", "s32.u32.s32"})
            add(newer(fmt::format("{}.{}.sat", op, types), "b32", "b32 b32 b32"));
    add(newer("mov.v2.b16", "b16 b16", "b16 b16", "mov.v2.b16 {%D0, %D1}, {%B, %A};"));
}

} // namespace lanescope::conformance
