// Every lab, variant and test size on the lockstep machine.
#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

class OnSimt : public testing::TestWithParam<Case> {};

TEST_P(OnSimt, MatchesReference)
{
    // Variants that fault by design run with all checks, as in the program.
    const bool faults = !GetParam().variant->fault.empty();
    const auto device =
        simt::make_device({.checks = faults ? simt::Checks::all() : simt::Checks{}});
    expect_correct(*device, GetParam());
}

// All checks, as of compute-sanitizer: races, uninitialised reads, barriers that some threads miss.
TEST_P(OnSimt, PassesEveryCheck)
{
    const auto device = simt::make_device({.checks = simt::Checks::all()});
    expect_correct(*device, GetParam());
}

// Results that depend on timing on a GPU do not vary here, whatever the number of cores.
class RepeatedRun : public testing::TestWithParam<Case> {};

TEST_P(RepeatedRun, MatchesBitsAndCounts)
{
    const Case& one = GetParam();
    std::vector<std::byte> bytes;
    trace::Trace counts;
    for (const int cores : {1, 2, 2}) {
        const auto device = simt::make_device({.threads = cores});
        device::PlainAllocator shown(*device);
        const auto experiment = one.lab->start({.device = *device,
                                                .shown = shown,
                                                .lab = *one.lab,
                                                .variant = *one.variant,
                                                .values = values_of(*one.lab, *one.size),
                                                .seed = 7,
                                                .image = {}});
        trace::Trace trace;
        const Experiment::Result result = experiment->next_result();
        experiment->step(&trace);
        auto got =
            device::download<std::byte>(*device, result.buffer->address(), result.buffer->bytes());
        if (!bytes.empty()) {
            EXPECT_TRUE(got == bytes) << cores << " cores";
            EXPECT_EQ(trace.counts, counts.counts);
            EXPECT_EQ(trace.warps, counts.warps);
        }
        bytes = std::move(got);
        counts = std::move(trace);
    }
}

std::vector<Case> nondeterministic_cases()
{
    std::vector<Case> cases = every_case();
    std::erase_if(cases, [](const Case& one) { return one.variant->varies.empty(); });
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Labs, RepeatedRun, testing::ValuesIn(nondeterministic_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Labs, OnSimt, testing::ValuesIn(every_case()), case_name);

} // namespace
} // namespace lanescope::labs
