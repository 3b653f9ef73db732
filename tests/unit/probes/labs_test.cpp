// Every variant of every lab: the probes count what the machine counts, and leave the result as it
// is.
#include <gtest/gtest.h>

#include "tests/unit/labs/check_labs.h"
#include "tests/unit/probes/probing_device.h"
#include "tests/unit/probes/runs.h"

namespace lanescope::probes {
namespace {

class LabProbes : public testing::TestWithParam<labs::Case> {};

struct Step {
    trace::Trace trace;
    labs::Check check;
};

Step first_step(device::Device& device, const labs::Case& one)
{
    device::PlainAllocator shown(device);
    const auto experiment = one.lab->start({.device = device,
                                            .shown = shown,
                                            .lab = *one.lab,
                                            .variant = *one.variant,
                                            .values = labs::values_of(*one.lab, *one.size),
                                            .seed = 1,
                                            .image = {}});
    Step step;
    experiment->step(&step.trace);
    step.check = experiment->check();
    return step;
}

TEST_P(LabProbes, CountAsTheMachineDoes)
{
    simt::Options options;
    options.threads = 1;
    const auto machine = simt::make_device(options);
    ProbingDevice probing(simt::make_device(options));
    const Step plain = first_step(*machine, GetParam());
    const Step probed = first_step(probing, GetParam());
    expect_equal(plain.trace, probed.trace);
    EXPECT_TRUE(probed.check.correct) << probed.check.message;
    EXPECT_EQ(plain.check.max_error, probed.check.max_error);
}

// The smallest test size of each variant.
std::vector<labs::Case> cases()
{
    std::vector<labs::Case> all = labs::every_case();
    std::erase_if(all,
                  [](const labs::Case& one) { return one.size != one.lab->test_sizes.data(); });
    return all;
}

INSTANTIATE_TEST_SUITE_P(Labs, LabProbes, testing::ValuesIn(cases()), labs::case_name);

} // namespace
} // namespace lanescope::probes
