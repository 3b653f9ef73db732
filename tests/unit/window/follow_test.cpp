// Counts that the window requests: those shown on top of a picture, as in `shot`.
#include "app/window/interaction/follow.h"

#include <gtest/gtest.h>

#include "app/document/session/session.h"

namespace lanescope::app {
namespace {

// An experiment on a GPU: counting takes time, and the headline is a time.
struct OnAClock {
    Document document;
    Frame frame;

    explicit OnAClock(const char* lab)
    {
        Session session;
        session.journal.start.lab = lab;
        session.journal.start.variant = labs::find(lab).variants.front().id;
        document = document_of(session);
        frame.opened = 1;
        frame.engine.has_clock = true;
        frame.a.lab = &labs::find(lab);
        frame.a.variant = &labs::find(lab).variants.front();
        frame.a.trace = std::make_shared<const trace::Trace>();
    }
    bool counts() const { return plan_of(document, frame, false, false).counting.sites; }
};

TEST(CountingPlan, PausedPictureIsCounted)
{
    OnAClock now("histogram");
    now.document.paused = true;
    now.frame.a.picture = DrawnPicture{};
    EXPECT_FALSE(now.counts()) << "the headline is a time";
    now.document.look.lecture = true;
    EXPECT_TRUE(now.counts());
    trace::Trace known;
    known.sites.emplace_back();
    const auto counted = std::make_shared<const trace::Trace>(std::move(known));
    now.frame.variants[now.document.variant].totals.emplace();
    now.frame.a.trace = counted;
    EXPECT_TRUE(now.counts()) << "of each step that is shown";
    now.document.paused = false;
    EXPECT_FALSE(now.counts()) << "once";
    now.frame.a.trace = std::make_shared<const trace::Trace>();
    EXPECT_TRUE(now.counts()) << "another variant was chosen, and this one again";
    now.frame.a.trace = counted;
    now.document.look.compare = labs::find("histogram").variants[1].id;
    EXPECT_TRUE(now.counts()) << "the other side is not yet";
    now.frame.variants[now.document.look.compare].totals.emplace();
    EXPECT_FALSE(now.counts());
    now.frame.b = now.frame.a;
    EXPECT_FALSE(now.counts());
    now.frame.b->trace = std::make_shared<const trace::Trace>();
    EXPECT_TRUE(now.counts()) << "it was compared before";
    now.document.look.map = "sector_excess"; // a map's counts would flicker while it runs
    EXPECT_FALSE(now.counts());
    now.document.paused = true;
    EXPECT_TRUE(now.counts());
}

TEST(CountingPlan, LectureCountsAfterFirstPictureOrInReplay)
{
    OnAClock now("histogram");
    now.document.look.lecture = true;
    for (const bool paused : {false, true}) {
        now.document.paused = paused;
        now.frame.a.picture.reset();
        EXPECT_FALSE(now.counts()) << "the picture first";
        now.frame.a.replay.in_progress = true;
        EXPECT_TRUE(now.counts()) << "as shot counts the step that it comes to";
        now.frame.a.replay.in_progress = false;
        now.frame.a.picture = DrawnPicture{};
        EXPECT_TRUE(now.counts());
        now.frame.a.counting_problem = "It cannot be probed.";
        EXPECT_FALSE(now.counts());
        now.frame.a.counting_problem.clear();
    }
}

} // namespace
} // namespace lanescope::app
