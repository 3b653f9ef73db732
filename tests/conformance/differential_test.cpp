// A fixed share of the differential run that needs no GPU: the lockstep machine's instruction sets
// compared with each other.
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/simt_device.h"
#include "compute/text.h"
#include "tests/conformance/differential.h"

namespace lanescope::conformance {
namespace {

TEST(Differential, InstructionSetsAgreeOnRandomOperands)
{
    simt::Options baseline;
    baseline.isa = simt::Isa::baseline;
    const auto one = simt::make_device(baseline);
    const auto other = simt::make_device();
    const DifferentialReport report = run_differential(
        *one, *other, {29, 2, 1}, [](const Case&) { return true; },
        [](const std::string& problem) { ADD_FAILURE() << problem; });
    EXPECT_GE(report.cases, 400);
    EXPECT_GE(report.results, 100000u);
}

// Every arithmetic form that the machine implements has a scalable case.
TEST(Differential, CoversEveryArithmeticForm)
{
    for (const ptx::Form& form : ptx::forms()) {
        if (!ptx::is_arithmetic(form.unit) && form.unit != ptx::Unit::video) continue;
        for (const std::string_view name : parts(form.name, '|')) {
            const std::string written = fmt::format(" {}.", name);
            EXPECT_TRUE(std::ranges::any_of(all_cases(), [&](const Case& test) {
                return test.more && test.ptx.find(written) != std::string::npos;
            })) << name;
        }
    }
}

} // namespace
} // namespace lanescope::conformance
