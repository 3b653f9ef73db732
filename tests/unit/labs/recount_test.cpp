// Counts a step again without making a new one, as a paused window does when a map is turned on. If
// steps continue from their result, the step that is counted is the next one.
#include <algorithm>
#include <map>

#include "compute/experiment/record/record.h"
#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

class Recount : public testing::TestWithParam<Case> {};

TEST_P(Recount, KeepsStateAndCounts)
{
    const Case& one = GetParam();
    if (!one.variant->fault.empty() || !one.variant->runs_on(device::Engine::simt))
        GTEST_SKIP() << "its record says that it makes no step here";
    const bool continues = !one.lab->record->plans.at(one.variant->index).swap.empty();
    simt::Options options;
    if (!one.variant->varies.empty()) options.threads = 1;
    const auto device = simt::make_device(options);
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
    EXPECT_EQ(experiment->steps(), 2 * one.variant->steps);
    const Check check = experiment->check();
    EXPECT_EQ(check.correct, !one.variant->wrong) << check.message;

    trace::Trace next;
    experiment->step(&next);
    const trace::Trace& counted = continues ? next : stepped;
    EXPECT_EQ(again.counts, counted.counts);
    EXPECT_EQ(again.warp_instructions, counted.warp_instructions);
    EXPECT_EQ(experiment->check().correct, !one.variant->wrong) << "the next step";
}

// Each variant's memory map must show memory that its kernel accesses, at one of its test sizes: a
// compaction that keeps no element, for example, stores none.
class NamedMemory : public testing::TestWithParam<const Variant*> {};

std::map<std::string, std::uint64_t> touches(const Case& one)
{
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
    std::map<std::string, std::uint64_t> all;
    for (const Experiment::Memory& memory : experiment->memory()) {
        EXPECT_LE(memory.bytes, memory.buffer->bytes()) << memory.name;
        trace::Trace trace;
        trace.watched.address = memory.buffer->address();
        trace.watched.bytes = memory.bytes;
        experiment->recount(trace);
        std::uint64_t& touched = all[memory.name];
        for (const std::uint32_t count : trace.watched.touches) touched += count;
    }
    return all;
}

TEST_P(NamedMemory, IsAccessed)
{
    if (!GetParam()->fault.empty() || !GetParam()->runs_on(device::Engine::simt))
        GTEST_SKIP() << "its record says that it makes no step here";
    std::map<std::string, std::uint64_t> most;
    for (const Case& one : every_case())
        if (one.variant == GetParam())
            for (const auto& [name, touched] : touches(one))
                most[name] = std::max(most[name], touched);
    for (const auto& [name, touched] : most) EXPECT_GT(touched, 0u) << name;
}

std::vector<const Variant*> every_variant()
{
    std::vector<const Variant*> variants;
    for (const Lab& lab : all())
        for (const Variant& variant : lab.variants) variants.push_back(&variant);
    return variants;
}

std::string variant_name(const testing::TestParamInfo<const Variant*>& info)
{
    return info.param->kernel + "_" + info.param->id;
}

INSTANTIATE_TEST_SUITE_P(Labs, NamedMemory, testing::ValuesIn(every_variant()), variant_name);
INSTANTIATE_TEST_SUITE_P(Labs, Recount, testing::ValuesIn(every_case_without_fault()), case_name);

} // namespace
} // namespace lanescope::labs
