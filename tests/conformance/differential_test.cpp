// A fixed share of the differential run that needs no GPU: the lockstep machine's instruction sets
// against each other.
#include <gtest/gtest.h>

#include "compute/simt/simt_device.h"
#include "tests/conformance/differential.h"

namespace lanescope::conformance {
namespace {

TEST(Differential, InstructionSetsAgreeOnDrawnOperands)
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

} // namespace
} // namespace lanescope::conformance
