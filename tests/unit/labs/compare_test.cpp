// Comparing results that contain NaN or infinity with references.
#include "compute/experiment/lab/compare.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace lanescope::labs {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();

Check check(std::vector<double> got, std::vector<double> want, double tolerance = 1)
{
    return compare(
        got.size(), [&](std::size_t i) { return got[i]; }, want, tolerance, 2,
        [](double value) { return fmt::format("{}", value); });
}

// Where no path leads from one node to another, both distances are infinite.
TEST(Compare, SameInfinityIsCorrect)
{
    const Check same = check({0, infinite, -infinite, 3}, {0, infinite, -infinite, 2.5});
    EXPECT_TRUE(same.correct);
    EXPECT_EQ(same.max_error, 0.5);
}

TEST(Compare, OppositeInfinityIsWrong)
{
    for (const auto& [got, want] :
         {std::pair{infinite, -infinite}, {infinite, 1.0}, {1.0, infinite}}) {
        const Check other = check({0, 0, got}, {0, 0, want});
        EXPECT_FALSE(other.correct);
        EXPECT_NE(other.message.find("Element 2 (column 0, row 1)"), std::string::npos);
    }
}

TEST(Compare, NanIsWrong)
{
    EXPECT_FALSE(check({0, none}, {0, 0}).correct);
    EXPECT_FALSE(check({0, 0}, {0, none}).correct);
    EXPECT_FALSE(check({0, none}, {0, none}).correct);
}

// The tolerance is a formula of the record and may have any value. Here no element is wrong.
TEST(Compare, InvalidTolerancesAreReported)
{
    for (const double tolerance : {-1.0, none, -infinite}) {
        const Check invalid = check({0, 1}, {0, 1}, tolerance);
        EXPECT_FALSE(invalid.correct);
        EXPECT_NE(invalid.message.find("tolerance"), std::string::npos);
    }
}

// Whichever core finds it, the first of several equal errors is named; NaN is the worst error.
TEST(Compare, NamesFirstWorstElement)
{
    std::vector<double> got(1 << 20);
    const std::vector<double> want(got.size());
    got[200'001] = got[900'000] = 3;
    EXPECT_EQ(check(got, want).max_error, 3);
    EXPECT_NE(check(got, want).message.find("Element 200001 "), std::string::npos);
    got[700'000] = got[950'000] = none;
    EXPECT_NE(check(got, want).message.find("Element 700000 "), std::string::npos);
}

} // namespace
} // namespace lanescope::labs
