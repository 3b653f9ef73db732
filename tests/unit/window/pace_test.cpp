// Frame pacing: 60 frames per second, including the window's own work.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "app/window/pace.h"

namespace lanescope::test {
namespace {

using namespace std::chrono_literals;

// Returns the wait before the next frame if the work of a frame takes this long.
double wait_after(std::chrono::duration<double> work)
{
    app::Pace pace(app::Pace::Clock::now());
    pace.begin_work();
    std::this_thread::sleep_for(work);
    pace.frame(1, 1, false);
    return pace.wait_s();
}

TEST(FramePacing, FrameIncludesWork)
{
    constexpr double frame_s = 1.0 / 60;
    EXPECT_LE(wait_after(10ms), frame_s - 0.010);
    EXPECT_EQ(wait_after(20ms), 0);
}

TEST(FramePacing, NeverExceedsScreenRate)
{
    app::Pace pace(app::Pace::Clock::now());
    const auto begin = app::Pace::Clock::now();
    constexpr int frames = 12;
    for (int i = 0; i < frames; ++i) {
        pace.begin_work();
        std::this_thread::sleep_for(1ms);
        pace.frame(static_cast<std::uint64_t>(i) + 1, i, false);
        std::this_thread::sleep_for(std::chrono::duration<double>(pace.wait_s()));
    }
    EXPECT_GE(std::chrono::duration<double>(app::Pace::Clock::now() - begin).count(),
              frames * (1.0 / 60) - 0.001);
}

// The first frame is drawn when its picture is ready, without a wait; until then the CPU is left to
// the worker.
TEST(FramePacing, NothingDelaysFirstPicture)
{
    app::Pace pace(app::Pace::Clock::now());
    const auto frame = [&](std::uint64_t picture) {
        pace.begin_work();
        std::this_thread::sleep_for(1ms);
        pace.frame(picture, 0, false);
    };
    constexpr double max_s = 1.0 / 30;
    frame(0);
    EXPECT_EQ(pace.wait_s(), 0);
    EXPECT_DOUBLE_EQ(pace.patience().count(), max_s);
    frame(1);
    EXPECT_GT(pace.wait_s(), 0);
    EXPECT_LT(pace.patience().count(), max_s) << "the frame's work is part of it";
}

} // namespace
} // namespace lanescope::test
