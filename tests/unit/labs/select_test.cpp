// Selects another variant between two steps, as in a paused window: the previous variant's result
// stays until the new one has produced a result.
#include <gtest/gtest.h>

#include <map>

#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

bool makes_a_step(const Variant& variant)
{
    return variant.fault.empty() && variant.runs_on(device::Engine::simt);
}

void expect_same(const Picture& made, const Picture& still)
{
    ASSERT_EQ(still.index(), made.index());
    if (const auto* labels = std::get_if<LabelsPicture>(&made)) {
        EXPECT_EQ(*std::get<LabelsPicture>(still).numbers, *labels->numbers);
    }
}

class Select : public testing::TestWithParam<const Lab*> {};

TEST_P(Select, KeepsResultUntilNextStep)
{
    const Lab& lab = *GetParam();
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const std::map<std::string, std::string> usual;
    const Values values = values_of(lab, lab.test_sizes.empty() ? usual : lab.test_sizes.front());
    for (const Variant& first : lab.variants) {
        if (!makes_a_step(first)) continue;
        for (const Variant& second : lab.variants) {
            if (!makes_a_step(second)) continue;
            SCOPED_TRACE(first.id + ", then " + second.id);
            const auto experiment = lab.start({.device = *device,
                                               .shown = shown,
                                               .lab = lab,
                                               .variant = first,
                                               .values = values,
                                               .seed = 7,
                                               .image = {}});
            experiment->step();
            std::vector<Picture> made;
            for (const std::string& view : lab.views) made.push_back(experiment->picture(view));
            experiment->select(second);
            for (std::size_t i = 0; i < made.size(); ++i)
                expect_same(made[i], experiment->picture(lab.views[i]));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Labs, Select, testing::ValuesIn([] {
                             std::vector<const Lab*> labs;
                             for (const Lab& lab : all()) labs.push_back(&lab);
                             return labs;
                         }()),
                         [](const auto& info) { return info.param->id; });

} // namespace
} // namespace lanescope::labs
