// Accesses to tiles in shared memory: executed counts against the counting rules for random
// layouts, and the search.
#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/run/layout/layout_bench.h"
#include "compute/error.h"

namespace lanescope::app {
namespace {

using counting::Layout;
using testing::HasSubstr;

counting::SharedCost cost(const std::string& layout, const std::string& access, int bytes)
{
    const Layout tile = Layout::read(layout);
    return measure(read_access(access, tile, bytes), tile, bytes).cost;
}

void expect_cost(const std::string& layout, const std::string& access, int bytes,
                 std::uint32_t wavefronts, std::uint32_t ideal)
{
    const counting::SharedCost found = cost(layout, access, bytes);
    EXPECT_EQ(found.wavefronts, wavefronts) << layout << ", " << access;
    EXPECT_EQ(found.ideal_wavefronts, ideal) << layout << ", " << access;
}

// Counted by hand.
TEST(LayoutBench, CountsConflicts)
{
    expect_cost("32x32", "row", 4, 1, 1);
    expect_cost("32x32", "column", 4, 32, 1);
    expect_cost("32x32", "store column 3", 4, 32, 1);
    expect_cost("32x32+1", "column", 4, 1, 1);
    expect_cost("Sw<5,0,5> o (32,32):(32,1)", "column", 4, 1, 1);
    expect_cost("32x32", "floor(lane/2), mod(lane,2)*16", 4, 16, 1);
    expect_cost("32x32", "0, 0", 4, 1, 1); // a broadcast
    expect_cost("8x128", "row x4", 4, 4, 4);
    expect_cost("(16,64):(64,1)", "ldmatrix.x4", 2, 32, 4);
    expect_cost("Sw<3,3,3> o (16,64):(64,1)", "ldmatrix.x4", 2, 4, 4);
    expect_cost("Sw<3,3,3> o (16,64):(64,1)", "stmatrix.x2.trans", 2, 2, 2);
    expect_cost("(8,64):(64,1)", "ldmatrix.x1", 2, 8, 1);
    expect_cost("32x256+1", "lane, 0", 2, 2, 1); // an odd number of halves
}

std::string random_access(std::mt19937& random, int bytes)
{
    const auto number = [&](int below) { return static_cast<int>(random() % below); };
    const std::string store = number(2) == 0 ? "store " : "";
    switch (number(5)) {
    case 0: return fmt::format("{}row {}", store, number(8));
    case 1: return fmt::format("{}column {}", store, number(8));
    case 2: return fmt::format("{}xor(lane,{}), mod(lane*{},32)", store, number(32), number(9));
    case 3:
        return fmt::format("{}floor(lane/{}), mod(lane,{})*{}{}", store, 1 << number(4),
                           1 << number(3), 4, bytes <= 4 ? " x4" : "");
    default:
        return bytes > 4
                   ? "column"
                   : fmt::format("{}matrix.x{}", number(2) == 0 ? "ld" : "st", 1 << number(3));
    }
}

// The rules are what the search uses.
TEST(LayoutBench, ExecutedCountsFollowTheRules)
{
    std::mt19937 random(1);
    int measured = 0;
    for (int i = 0; i < 300; ++i) {
        const int bytes = 1 << random() % 4;
        const int bits = static_cast<int>(random() % 4);
        const Layout tile =
            Layout::read(random() % 2 == 0 ? fmt::format("64x128+{}", 4 * (random() % 4))
                                           : fmt::format("Sw<{},{},{}> o (64,128):(128,1)", bits,
                                                         2 + random() % 3,
                                                         bits + static_cast<int>(random() % 3)));
        const TileAccess access = read_access(random_access(random, bytes), tile, bytes);
        std::array<std::uint64_t, 32> offsets{};
        if (!offsets_of(access, tile, bytes, offsets)) continue;
        ++measured;
        const counting::SharedCost rule =
            access.kind == TileAccess::Kind::load
                ? counting::shared_load(offsets, access.active, access.width_bytes)
                : counting::shared_store(offsets, access.active, access.width_bytes);
        EXPECT_EQ(measure(access, tile, bytes).cost, rule)
            << tile.text() << ", " << access.text << ", " << bytes << " bytes";
    }
    EXPECT_GT(measured, 150);
}

TEST(LayoutBench, SearchFindsLayoutsWithoutConflicts)
{
    const Layout tile = Layout::read("32x32");
    const std::vector<TileAccess> both{read_access("store row", tile, 4),
                                       read_access("column", tile, 4)};
    const std::vector<FoundLayout> found = search_layouts(both, tile, 4);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].excess(), 0u);
    EXPECT_EQ(found[0].memory_bytes, 4096u);
    EXPECT_EQ(found[0].layout.text(), "Sw<5,0,5> o (32,32):(32,1)");
    EXPECT_EQ(explanation(found[0].layout, 4),
              "in row r, chunk k of 1 element (4 bytes) moves to chunk k xor (r mod 32)");
    const bool pads = std::ranges::any_of(found, [](const FoundLayout& each) {
        return each.layout.text() == "(32,32):(33,1)" && each.excess() == 0;
    });
    EXPECT_TRUE(pads);
    for (const FoundLayout& each : std::span(found).first(5))
        for (std::size_t i = 0; i < both.size(); ++i)
            EXPECT_EQ(measure(both[i], each.layout, 4).cost, each.costs[i]) << each.layout.text();
}

// Swizzled chunks are as wide as the widest access: the lanes of ldmatrix read 16 bytes.
TEST(LayoutBench, SearchKeepsChunksWhole)
{
    const Layout tile = Layout::read("16x64");
    const std::vector<TileAccess> accesses{read_access("ldmatrix.x4", tile, 2)};
    const std::vector<FoundLayout> found = search_layouts(accesses, tile, 2);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].excess(), 0u);
    EXPECT_EQ(found[0].layout.text(), "Sw<3,3,3> o (16,64):(64,1)");
}

TEST(LayoutBench, MistakesAreNamed)
{
    const auto problem = [](const std::string& layout, const std::string& access, int bytes) {
        try {
            cost(layout, access, bytes);
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), ExitStatus::bad_usage);
            return std::string(error.what());
        }
        return std::string("none");
    };
    EXPECT_THAT(problem("16x32", "column", 4), HasSubstr("puts lane 16 in row 16"));
    EXPECT_THAT(problem("32x32", "lane, lane/2", 4), HasSubstr("puts lane 1 in column 0.5"));
    EXPECT_THAT(problem("32x32", "lane, 0-lane", 4), HasSubstr("column -1"));
    EXPECT_THAT(problem("32x32", "rows", 4), HasSubstr("is none of the known ones"));
    EXPECT_THAT(problem("32x32", "row three", 4), HasSubstr("\"three\" where a number"));
    EXPECT_THAT(problem("32x64", "lane, 1 x4", 4), HasSubstr("is not aligned"));
    EXPECT_THAT(problem("32x32", "row 0 x8", 4), HasSubstr("moves 32 bytes per lane"));
    EXPECT_THAT(problem("32x32", "lane, 29 x4", 4), HasSubstr("needs 4 elements from column 29"));
    EXPECT_THAT(problem("(32,32):(1,32)", "lane, 0 x4", 4), HasSubstr("does not follow"));
    EXPECT_THAT(problem("32x32", "ldmatrix.x3", 2), HasSubstr("has none of the sizes"));
    EXPECT_THAT(problem("32x32", "ldmatrix.x4", 8), HasSubstr("1, 2 or 4 bytes"));
    EXPECT_THAT(problem("1024x128", "row", 2), HasSubstr("at most 232448 bytes"));
    EXPECT_THAT(problem("32x32", "lane +, 0", 4), HasSubstr("--access"));
}

} // namespace
} // namespace lanescope::app
