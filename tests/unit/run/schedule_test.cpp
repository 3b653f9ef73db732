// The next work of each side, from the plan and from the progress of both sides.
#include "app/run/actors/schedule.h"

#include <gtest/gtest.h>

#include "app/document/experiment/journal.h"
#include "render/context/offscreen.h"

namespace lanescope::app {
namespace {

using namespace std::chrono_literals;

class ScheduleTest : public testing::Test {
protected:
    const render::Offscreen context_;
    SharedDevice shared_{open_engine("simt"), "simt", std::make_shared<render::GlTaskQueue>()};
    MeasuredLive measured_;
    Plan plan_;

    std::unique_ptr<Side> side(const std::string& variant, std::int64_t replayed = 0)
    {
        return std::make_unique<Side>(
            shared_, Journal{{"heat", variant, {{"size", "33"}}, 1, ""}, {}, replayed}, measured_);
    }
    Schedule schedule(const Side& leader, const Side* comparison = nullptr) const
    {
        return {.plan = plan_, .measured = measured_, .leader = leader, .comparison = comparison};
    }
    void carry_out(Side& side, const std::optional<Side::Work>& work)
    {
        ASSERT_TRUE(work);
        const render::MappedScope mapped(shared_.sharing());
        side.work(*work);
    }
};

TEST_F(ScheduleTest, PausedGetsOnePicture)
{
    plan_.running = false;
    const auto leader = side("naive");
    const auto first = schedule(*leader).leader_work();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->steps, 0);
    carry_out(*leader, first);
    EXPECT_FALSE(schedule(*leader).leader_work());

    Schedule asked = schedule(*leader);
    asked.steps = 2;
    ASSERT_TRUE(asked.leader_work());
    EXPECT_EQ(asked.leader_work()->steps, 2);
}

TEST_F(ScheduleTest, NewViewOrMissingCountsNeedNoStep)
{
    plan_.running = false;
    const auto leader = side("naive");
    carry_out(*leader, schedule(*leader).leader_work());
    plan_.view = leader->lab().views.back();
    ASSERT_NE(plan_.view, leader->view());
    auto work = schedule(*leader).leader_work();
    ASSERT_TRUE(work);
    EXPECT_EQ(work->view, plan_.view);
    EXPECT_EQ(work->steps, 0);
    carry_out(*leader, work);
    EXPECT_FALSE(schedule(*leader).leader_work());

    plan_.counting.sites = true;
    work = schedule(*leader).leader_work();
    ASSERT_TRUE(work);
    EXPECT_TRUE(work->counting.sites);
    EXPECT_EQ(work->steps, 0);
}

// If counts date from an earlier step when the experiment is paused, the current step is counted.
TEST_F(ScheduleTest, OutdatedCountsAreRepeatedWhenPaused)
{
    const auto leader = side("naive");
    plan_.counting.sites = true;
    carry_out(*leader,
              Side::Work{.steps = 1, .budget = {}, .view = "", .counting = plan_.counting});
    plan_.running = false;
    plan_.view = leader->lab().views.front();
    carry_out(*leader, schedule(*leader).leader_work());
    EXPECT_FALSE(schedule(*leader).leader_work());
    carry_out(*leader, Side::Work{.steps = 2, .budget = {}, .view = plan_.view});
    const auto work = schedule(*leader).leader_work();
    ASSERT_TRUE(work);
    EXPECT_EQ(work->steps, 0);
    EXPECT_TRUE(work->counting.sites);
    carry_out(*leader, work);
    EXPECT_FALSE(schedule(*leader).leader_work());
}

TEST_F(ScheduleTest, SimtHasTimeBudgetUnlessStepsAreFixed)
{
    const auto leader = side("naive");
    const auto work = schedule(*leader).leader_work();
    ASSERT_TRUE(work);
    EXPECT_EQ(work->steps, leader->steps_per_frame());
    EXPECT_TRUE(work->budget);
    plan_.never_skips_steps = true;
    EXPECT_FALSE(schedule(*leader).leader_work()->budget);
    plan_.never_skips_steps = false;
    Schedule waiting = schedule(*leader);
    waiting.waits = true;
    EXPECT_FALSE(waiting.leader_work()->budget);
}

TEST_F(ScheduleTest, ReplayComesFirst)
{
    plan_.running = false;
    const auto leader = side("naive", 3);
    const auto work = schedule(*leader).leader_work();
    ASSERT_TRUE(work);
    EXPECT_EQ(work->steps, 3);
    const auto other = side("shared_tile");
    EXPECT_FALSE(schedule(*leader, other.get()).comparison_work());
}

TEST_F(ScheduleTest, LeaderWaitsForOtherSide)
{
    const auto leader = side("naive");
    const auto other = side("shared_tile");
    EXPECT_FALSE(schedule(*leader, other.get()).comparison_work()) << "no picture to be beside";
    carry_out(*leader, schedule(*leader, other.get()).leader_work());
    EXPECT_FALSE(schedule(*leader, other.get()).together());
    const auto waiting = schedule(*leader, other.get()).leader_work();
    EXPECT_EQ(waiting ? waiting->steps : 0, 0);
    const auto catch_up = schedule(*leader, other.get()).comparison_work();
    ASSERT_TRUE(catch_up);
    EXPECT_EQ(catch_up->steps, leader->launches());
    carry_out(*other, catch_up);
    EXPECT_TRUE(schedule(*leader, other.get()).together());
    EXPECT_TRUE(schedule(*leader, other.get()).difference_is_wanted());
    EXPECT_FALSE(schedule(*leader, other.get()).comparison_work());
}

TEST_F(ScheduleTest, FitsStepsIntoFrame)
{
    const auto leader = side("naive");
    measured_.variants["naive"].step_ms.add(2, History::Clock::now());
    Schedule timed = schedule(*leader);
    timed.has_clock = true;
    plan_.running = false;
    timed.steps = 1000;
    const auto work = timed.leader_work();
    ASSERT_TRUE(work);
    EXPECT_EQ(work->steps, 5) << "8 ms of 2 ms each, and one more";
    EXPECT_FALSE(work->budget);
    EXPECT_FALSE(timed.is_quick(*leader, {.steps = 1000, .budget = {}, .view = {}}));
    EXPECT_TRUE(timed.is_quick(*leader, {.steps = 2, .budget = {}, .view = {}}));
}

TEST_F(ScheduleTest, SweepOnSameClockPausesSteps)
{
    const auto leader = side("naive");
    plan_.sweep.emplace();
    Schedule sweeping = schedule(*leader);
    sweeping.has_clock = sweeping.sweep_runs = true;
    ASSERT_TRUE(sweeping.leader_work()) << "a picture all the same";
    EXPECT_EQ(sweeping.leader_work()->steps, 0);
    plan_.never_skips_steps = true;
    EXPECT_GT(sweeping.leader_work()->steps, 0) << "a recording goes on";
}

} // namespace
} // namespace lanescope::app
