// Every lab, variant and test size on the lockstep machine.
#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

class OnSimt : public testing::TestWithParam<Case> {};

TEST_P(OnSimt, AgreesWithTheReference)
{
    const auto device = simt::make_device();
    expect_correct(*device, GetParam());
}

// What compute-sanitizer would look for: races, uninitialised reads, barriers that some threads
// miss.
TEST_P(OnSimt, PassesEveryCheck)
{
    const auto device = simt::make_device({.checks = simt::Checks::all()});
    expect_correct(*device, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Labs, OnSimt, testing::ValuesIn(every_case()), case_name);

} // namespace
} // namespace lanescope::labs
