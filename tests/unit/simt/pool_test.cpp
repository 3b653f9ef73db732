// Helper threads start on demand, and immediately if they have run before.
#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "compute/simt/machine/turns/pool.h"

namespace lanescope::simt {
namespace {

struct Ran {
    std::array<std::atomic<int>, 3> times{};
    std::array<int, 3> counts() const { return {times[0], times[1], times[2]}; }
};

TEST(Pool, RunsAloneUntilHelpersAreCalled)
{
    Pool pool(3);
    Ran ran;
    const auto count = [&](int i) { ++ran.times[static_cast<std::size_t>(i)]; };
    pool.run_with_late_helpers(3, count);
    EXPECT_EQ(ran.counts(), (std::array{1, 0, 0}));
    pool.run_with_late_helpers(3, [&](int i) {
        count(i);
        if (i == 0)
            for (int again = 0; again < 2; ++again) pool.wake_helpers();
    });
    EXPECT_EQ(ran.counts(), (std::array{2, 1, 1}));
    pool.run_with_late_helpers(3, count); // The helpers have been started in the first run.
    EXPECT_EQ(ran.counts(), (std::array{3, 2, 2}));
}

TEST(Pool, RunsRequestedNumberOfThreads)
{
    Pool pool(3);
    Ran ran;
    const auto count = [&](int i) { ++ran.times[static_cast<std::size_t>(i)]; };
    pool.run(2, count);
    EXPECT_EQ(ran.counts(), (std::array{1, 1, 0}));
    pool.run(1, count);
    pool.run(3, count);
    EXPECT_EQ(ran.counts(), (std::array{3, 2, 1}));
}

} // namespace
} // namespace lanescope::simt
