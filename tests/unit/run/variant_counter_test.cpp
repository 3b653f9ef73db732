// Counting all variants of a lab in the background: the counts equal those of a step, a smaller
// size is used if the current one takes too long, and changed values start it again.
#include "app/run/actors/variant_counter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/document/experiment/journal.h"
#include "app/measure/model/predicted_time.h"
#include "compute/assembled/tools.h"
#include "compute/simt/simt_device.h"
#include "compute/trace/ratios.h"

namespace lanescope::app {
namespace {

using namespace std::chrono_literals;

constexpr bool without_predictions = false;

VariantCounter::Subject subject_of(const labs::Lab& lab,
                                   const std::map<std::string, std::string>& set)
{
    labs::Values values(lab);
    for (const auto& [id, text] : set) values.set(id, text);
    return {&lab, {as_texts(lab, values)}};
}

// Waits until counting has finished.
AllCountedInBackground counted(VariantCounter& counter)
{
    AllCountedInBackground all;
    while (counter.continues()) {
        if (const auto newer = counter.take()) all = *newer;
        std::this_thread::sleep_for(1ms);
    }
    return all;
}

trace::Totals totals_of_step(const labs::Lab& lab, const labs::Variant& variant,
                             const std::map<std::string, std::string>& set)
{
    const auto device = simt::make_device({.threads = 1});
    device::PlainAllocator shown(*device);
    labs::Values values(lab);
    for (const auto& [id, text] : set) values.set(id, text);
    trace::Trace trace;
    trace.per_warp = false;
    lab.start({*device, shown, lab, variant, values, 1, {}})->step(&trace);
    return trace.totals();
}

class BackgroundCountsOfLab : public testing::TestWithParam<std::string> {};

TEST_P(BackgroundCountsOfLab, CoverEveryVariant)
{
    const labs::Lab& lab = labs::find(GetParam());
    const auto& size = lab.test_sizes.front();
    VariantCounter counter(VariantCounter::default_budget, 5ms, without_predictions);
    counter.follow(subject_of(lab, size));
    const AllCountedInBackground all = counted(counter);
    for (const labs::Variant& variant : lab.variants) {
        const auto found = all.find(variant.id);
        if (!variant.fault.empty() || !variant.runs_on(device::Engine::simt)) {
            EXPECT_EQ(found, all.end()) << variant.id;
            continue;
        }
        ASSERT_NE(found, all.end()) << variant.id;
        const CountedInBackground& one = found->second;
        ASSERT_TRUE(one.totals) << variant.id << ": " << one.problem;
        EXPECT_EQ(one.reduced, "") << variant.id;
        const trace::Totals own = totals_of_step(lab, variant, size);
        EXPECT_EQ(one.totals->warp_instructions, own.warp_instructions) << variant.id;
        EXPECT_EQ(trace::global(*one.totals).sectors, trace::global(own).sectors) << variant.id;
        EXPECT_GT(one.work.items, 0) << variant.id;
    }
}

std::vector<std::string> lab_ids()
{
    std::vector<std::string> ids;
    for (const labs::Lab& lab : labs::all()) ids.push_back(lab.id);
    return ids;
}

INSTANTIATE_TEST_SUITE_P(Labs, BackgroundCountsOfLab, testing::ValuesIn(lab_ids()),
                         [](const auto& one) { return one.param; });

TEST(CountedInBackground, UsesSmallerSizeWhenCurrentOneIsTooSlow)
{
    // At this size the lab takes seconds on any machine, at its test sizes a millisecond or two.
    const labs::Lab& lab = labs::find("matmul");
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    VariantCounter counter(20s, 0ms);
#else
    VariantCounter counter(2s, 0ms);
#endif
    counter.follow(subject_of(lab, {{"size", "4096"}}));
    const AllCountedInBackground all = counted(counter);
    ASSERT_EQ(all.size(), lab.variants.size());
    for (const auto& [id, one] : all) {
        EXPECT_TRUE(one.totals) << id;
        EXPECT_THAT(one.reduced, testing::HasSubstr("Columns")) << id;
    }
}

TEST(CountedInBackground, PredictsEveryVariant)
{
    const labs::Lab& lab = labs::find("heat");
    VariantCounter counter(VariantCounter::default_budget, 5ms);
    counter.follow(subject_of(lab, {{"size", "256"}}));
    const AllCountedInBackground all = counted(counter);
    const bool possible = assembled::find_tools().complete();
    for (const labs::Variant& variant : lab.variants) {
        if (!variant.fault.empty()) continue;
        SCOPED_TRACE(variant.id);
        ASSERT_TRUE(all.contains(variant.id));
        const CountedInBackground& one = all.at(variant.id);
        ASSERT_TRUE(one.time);
        EXPECT_EQ(one.time->gpu, "H100");
        if (!possible) {
            EXPECT_THAT(one.time->unavailable, testing::HasSubstr("was not found"));
            continue;
        }
        EXPECT_EQ(one.time->unavailable, "");
        EXPECT_EQ(one.time->before, "warm");
        EXPECT_GT(one.time->prediction.us, one.time->prediction.launch_us);
        EXPECT_LT(one.time->prediction.us, 100) << "a quarter of a MB per step";
    }
}

TEST(CountedInBackground, RestartsWhenValuesChange)
{
    const labs::Lab& lab = labs::find("transpose");
    const std::map<std::string, std::string> large{{"size", "1024"}}, small{{"size", "32"}};
    VariantCounter counter(VariantCounter::default_budget, 5ms);
    counter.follow(subject_of(lab, large));
    std::this_thread::sleep_for(40ms); // counting is in progress
    counter.follow(subject_of(lab, small));
    const AllCountedInBackground all = counted(counter);
    for (const labs::Variant& variant : lab.variants)
        EXPECT_EQ(trace::global(*all.at(variant.id).totals).sectors,
                  trace::global(totals_of_step(lab, variant, small)).sectors)
            << variant.id;
}

} // namespace
} // namespace lanescope::app
