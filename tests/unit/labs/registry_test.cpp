// Properties of the records on which all their users rely: complete, consistent, found by name.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Registry, IsNonEmptyAndOrdered)
{
    ASSERT_FALSE(all().empty());
    std::set<std::string> ids;
    int order = all().front().order;
    for (const Lab& lab : all()) {
        EXPECT_TRUE(ids.insert(lab.id).second) << lab.id << " twice";
        EXPECT_GE(lab.order, order);
        order = lab.order;
    }
}

TEST(Registry, EveryRecordIsComplete)
{
    for (const Lab& lab : all()) {
        SCOPED_TRACE(lab.id);
        EXPECT_FALSE(lab.title.empty());
        EXPECT_THAT(lab.question, testing::EndsWith("?"));
        EXPECT_FALSE(lab.variants.empty());
        EXPECT_FALSE(lab.views.empty());
        EXPECT_FALSE(lab.presets.empty());
        EXPECT_FALSE(lab.tolerance_reason.empty());
        EXPECT_GE(lab.test_sizes.size(), 3u);
        for (const std::string heading : {"## Look", "## Predict", "## Why"})
            EXPECT_THAT(std::string(lab.lesson()), HasSubstr(heading));
        for (const Parameter& parameter : lab.parameters)
            EXPECT_FALSE(parameter.help.empty()) << parameter.id;
        for (const Variant& variant : lab.variants) {
            SCOPED_TRACE(variant.id);
            EXPECT_FALSE(variant.idea.empty());
            EXPECT_THAT(std::string(lab.source(variant)), HasSubstr(variant.kernel + "("));
            EXPECT_THAT(std::string(lab.ptx(variant)), HasSubstr(".entry " + variant.kernel + "("));
        }
    }
}

TEST(Registry, ValuesListedByLabsAreValid)
{
    for (const Lab& lab : all()) {
        SCOPED_TRACE(lab.id);
        for (const Parameter& parameter : lab.parameters)
            EXPECT_NO_THROW(Values(lab).set(parameter.id, parameter.initial)) << parameter.id;
        for (const Preset& preset : lab.presets) {
            EXPECT_NO_THROW(values_of(lab, preset.values)) << preset.title;
            EXPECT_TRUE(preset.variant.empty() || lab.find_variant(preset.variant)) << preset.title;
        }
        for (const auto& size : lab.test_sizes) EXPECT_NO_THROW(values_of(lab, size));
        EXPECT_NO_THROW(values_of(lab, lab.l2_sized));
        EXPECT_NO_THROW(values_of(lab, lab.dram_sized));
    }
}

TEST(Registry, EverySweepCanRun)
{
    for (const Lab& lab : all()) {
        SCOPED_TRACE(lab.id);
        EXPECT_FALSE(lab.sweeps.empty());
        for (const Sweep& sweep : lab.sweeps) {
            SCOPED_TRACE(sweep.title);
            ASSERT_NE(lab.find_parameter(sweep.parameter), nullptr);
            EXPECT_GE(std::min(sweep.simt_values, sweep.values.size()),
                      min_sweep_values(lab, sweep.parameter));
            EXPECT_FALSE(sweep.ratios.empty());
            for (const std::string& value : sweep.values)
                EXPECT_NO_THROW(values_of(lab, {{sweep.parameter, value}}));
            for (const auto& others : {sweep.on_gpu, sweep.on_simt}) {
                EXPECT_NO_THROW(values_of(lab, others));
                EXPECT_FALSE(others.contains(sweep.parameter));
            }
            for (const std::string& variant : sweep.variants)
                EXPECT_NE(lab.find_variant(variant), nullptr) << variant;
        }
    }
}

std::string refusal(auto&& look_up)
{
    try {
        look_up();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::no_such_thing);
        return error.what();
    }
    return "found";
}

TEST(Registry, UnknownNamesListTheKnown)
{
    EXPECT_THAT(refusal([] { find("nosuch"); }),
                testing::AllOf(HasSubstr("'nosuch'"), HasSubstr("heat")));
    const Lab& heat = find("heat");
    EXPECT_THAT(refusal([&] { find_variant(heat, "nosuch"); }), HasSubstr("naive, shared_tile"));
    EXPECT_THAT(refusal([&] { heat.file("nosuch.md"); }), HasSubstr("heat/nosuch.md"));
    EXPECT_EQ(find_variant(heat, "naive").kernel, "heat_naive");
}

} // namespace
} // namespace lanescope::labs
