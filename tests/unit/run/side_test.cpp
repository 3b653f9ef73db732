// One running experiment without its worker: what it tells of its counts.
#include "app/run/side.h"

#include <gtest/gtest.h>

#include "app/document/editing/workbench.h"
#include "app/run/editing/trial.h"
#include "render/context/offscreen.h"

namespace lanescope::app {
namespace {

TEST(Side, ShowsTheCountsOfItsTrialUntilItHasItsOwn)
{
    const render::Offscreen context;
    SharedDevice shared(open_engine("simt"), "simt", std::make_shared<render::GlTaskQueue>());
    const Journal journal{{"heat", "naive", {{"size", "64"}}, 1, ""}, {}, 0};
    const labs::Lab& lab = labs::find("heat");
    Trials trials;
    const auto tried = trials.count(lab, labs::find_variant(lab, "naive"),
                                    {as_texts(lab, start_values(lab, journal.start))});
    ASSERT_TRUE(tried);
    MeasuredLive measured;
    Side side(shared, journal, measured);

    StepCost other = *tried;
    other.values["size"] = "65";
    side.show_counts_of_trial(other);
    EXPECT_FALSE(side.frame().counted_in_trial);
    other = *tried;
    other.reduced = "Size 33";
    side.show_counts_of_trial(other);
    EXPECT_FALSE(side.frame().counted_in_trial);

    side.show_counts_of_trial(*tried);
    EXPECT_TRUE(side.frame().counted_in_trial);
    EXPECT_EQ(side.frame().trace, tried->trace);
    const render::MappedScope mapped(shared.sharing());
    side.work({.steps = 1, .budget = {}, .view = lab.views.front()});
    EXPECT_TRUE(side.frame().counted_in_trial);
    Counting sites;
    sites.sites = true;
    side.work({.steps = 1, .budget = {}, .view = lab.views.front(), .counting = sites});
    EXPECT_FALSE(side.frame().counted_in_trial);
    EXPECT_NE(side.frame().trace, tried->trace);
    EXPECT_EQ(side.frame().trace->totals().warp_instructions, tried->totals.warp_instructions);
}

} // namespace
} // namespace lanescope::app
