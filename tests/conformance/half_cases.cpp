// f16 and bf16, scalar and packed.
#include <fmt/format.h>

#include "tests/conformance/instruction.h"

namespace lanescope::conformance {

void add_half_cases(std::vector<Case>& cases)
{
    const std::string_view group = "half";
    for (const char* type : {"f16", "f16x2", "bf16", "bf16x2"}) {
        const bool is_bf16 = type[0] == 'b';
        const std::string two = fmt::format("{0} {0}", type);
        const std::string three = fmt::format("{0} {0} {0}", type);
        const auto binary = [&](std::string_view op) {
            cases.push_back(make_case(group, {fmt::format("{}.{}", op, type), type, two}));
        };
        const auto unary = [&](std::string_view op) {
            cases.push_back(make_case(group, {fmt::format("{}.{}", op, type), type, type}));
        };
        for (const char* op : {"add", "sub", "mul"}) {
            binary(fmt::format("{}.rn", op));
            if (is_bf16) continue;
            binary(fmt::format("{}", op));
            binary(fmt::format("{}.ftz", op));
            binary(fmt::format("{}.sat", op));
            binary(fmt::format("{}.ftz.sat", op));
        }
        for (const char* op :
             {"fma.rn", "fma.rn.relu", "fma.rn.ftz", "fma.rn.sat", "fma.rn.ftz.relu"}) {
            const std::string_view name = op;
            if (is_bf16 && (name.find("ftz") != name.npos || name.find("sat") != name.npos))
                continue;
            cases.push_back(make_case(group, {fmt::format("{}.{}", op, type), type, three}));
        }
        for (const char* op : {"min", "max"})
            for (const char* flags : {"", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
                binary(fmt::format("{}{}", op, flags));
        unary("abs");
        unary("neg");
        if (is_bf16) continue;
        binary("min.ftz");
        binary("max.ftz.NaN");
        unary("abs.ftz");
        unary("neg.ftz");
    }
}

} // namespace lanescope::conformance
