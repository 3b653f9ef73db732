// Counting once more without a step: what a paused window does when a map is turned on.
#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

class Recount : public testing::TestWithParam<Case> {};

TEST_P(Recount, LeavesTheStateAndCountsTheSame)
{
    const Case& one = GetParam();
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment = one.lab->start({.device = *device,
                                            .shown = shown,
                                            .lab = *one.lab,
                                            .variant = *one.variant,
                                            .values = values_of(*one.lab, *one.size),
                                            .seed = 7,
                                            .image = {}});
    trace::Trace before;
    experiment->recount(before);
    EXPECT_EQ(experiment->steps(), 0);
    EXPECT_TRUE(experiment->check().correct) << "before the first step";

    experiment->step();
    trace::Trace stepped;
    experiment->step(&stepped);
    trace::Trace again;
    experiment->recount(again);
    EXPECT_EQ(again.counts, stepped.counts);
    EXPECT_EQ(again.warp_instructions, stepped.warp_instructions);
    EXPECT_EQ(experiment->steps(), 2 * one.variant->steps);
    const Check check = experiment->check();
    EXPECT_TRUE(check.correct) << check.message;

    experiment->step();
    EXPECT_TRUE(experiment->check().correct) << "the next step";
}

// What a map of memory watches is what the variant's kernel moves through.
TEST_P(Recount, TouchesEveryNamedMemory)
{
    const Case& one = GetParam();
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment = one.lab->start({.device = *device,
                                            .shown = shown,
                                            .lab = *one.lab,
                                            .variant = *one.variant,
                                            .values = values_of(*one.lab, *one.size),
                                            .seed = 7,
                                            .image = {}});
    experiment->step();
    for (const Experiment::Memory& memory : experiment->memory()) {
        trace::Trace trace;
        trace.watched.address = memory.buffer->address();
        trace.watched.bytes = memory.bytes;
        ASSERT_LE(memory.bytes, memory.buffer->bytes()) << memory.name;
        experiment->recount(trace);
        std::uint64_t touches = 0;
        for (const std::uint32_t count : trace.watched.touches) touches += count;
        EXPECT_GT(touches, 0u) << memory.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Labs, Recount, testing::ValuesIn(every_case()), case_name);

} // namespace
} // namespace lanescope::labs
