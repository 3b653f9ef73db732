// Layouts against values from CuTe's definitions, and swizzles against bits moved one by one.
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/counting/layout.h"
#include "compute/error.h"

namespace lanescope::counting {
namespace {

TEST(Layouts, StridesGiveOffsets)
{
    const Layout tile = Layout::read("(8,64):(64,1)");
    EXPECT_EQ(tile.rows(), 8u);
    EXPECT_EQ(tile.columns(), 64u);
    EXPECT_EQ(tile(3, 5), 197u);
    EXPECT_EQ(tile.memory(), 512u);
    EXPECT_EQ(tile.text(), "(8,64):(64,1)");
    EXPECT_EQ(Layout::read("(_8, _64):(_64, _1)").text(), "(8,64):(64,1)");
    EXPECT_EQ(Layout::read("64:2")(0, 3), 6u);
}

TEST(Layouts, DigitsOfNestedShapesChangeFromTheLeft)
{
    const Layout tile = Layout::read("((2,4),(2,8)):((1,16),(2,64))");
    EXPECT_EQ(tile.rows(), 8u);
    EXPECT_EQ(tile.columns(), 16u);
    EXPECT_EQ(tile(5, 3), 1u + 2 * 16 + 2 + 64);
    EXPECT_EQ(tile.text(), "((2,4),(2,8)):((1,16),(2,64))");
}

TEST(Layouts, ShapesWithoutStridesAreContiguousFromTheLeft)
{
    const Layout tile = Layout::read("(8,(2,32))");
    EXPECT_EQ(tile(1, 0), 1u);
    EXPECT_EQ(tile(0, 1), 8u);
    EXPECT_EQ(tile(0, 2), 16u);
    EXPECT_EQ(tile.memory(), 512u);
}

TEST(Layouts, PaddingIsUnused)
{
    const Layout tile = Layout::read("32x32+1");
    EXPECT_EQ(tile(1, 0), 33u);
    EXPECT_EQ(tile.memory(), 31u * 33 + 32);
    EXPECT_EQ(Layout::read("4x33").text(), "(4,33):(33,1)");
}

// Moves each bit by itself.
std::uint64_t swizzled_by_bits(const Swizzle& swizzle, std::uint64_t offset)
{
    std::uint64_t moved = offset;
    for (int bit = 0; bit < swizzle.bits; ++bit) {
        const int high = swizzle.base + bit + std::abs(swizzle.shift);
        const int low = swizzle.base + bit;
        const int from = swizzle.shift >= 0 ? high : low;
        const int to = swizzle.shift >= 0 ? low : high;
        if ((offset >> from & 1) != 0) moved ^= std::uint64_t{1} << to;
    }
    return moved;
}

TEST(Layouts, SwizzlesExchangeBits)
{
    const Layout tile = Layout::read("Sw<3,3,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
    EXPECT_EQ(tile(0, 8), 8u);
    EXPECT_EQ(tile(1, 0), 72u);
    EXPECT_EQ(tile(1, 8), 64u);
    EXPECT_EQ(tile(7, 0), 448u + 56);
    EXPECT_EQ(tile.text(), "Sw<3,3,3> o (8,64):(64,1)");
    for (const Swizzle swizzle : {Swizzle{3, 4, 3}, Swizzle{2, 0, 5}, Swizzle{1, 3, -2},
                                  Swizzle{5, 0, 5}, Swizzle{3, 2, -4}, Swizzle{0, 3, 3}}) {
        std::set<std::uint64_t> all;
        for (std::uint64_t offset = 0; offset < 4096; ++offset) {
            EXPECT_EQ(swizzle(offset), swizzled_by_bits(swizzle, offset));
            all.insert(swizzle(offset));
        }
        EXPECT_EQ(all.size(), 4096u) << "a swizzle is one to one";
    }
}

TEST(Layouts, OffsetsAreAddedBeforeTheSwizzle)
{
    const Layout tile = Layout::read("Sw<3,3,3> o 64 o (8,64):(64,1)");
    EXPECT_EQ(tile(0, 0), 72u);
    EXPECT_EQ(tile.text(), "Sw<3,3,3> o 64 o (8,64):(64,1)");
}

TEST(Layouts, MistakesAreNamed)
{
    const auto problem = [](const std::string& text) -> std::string {
        try {
            Layout::read(text);
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), ExitStatus::bad_usage);
            return error.what();
        }
        return "none";
    };
    using testing::HasSubstr;
    EXPECT_THAT(problem(""), HasSubstr("its end where a number"));
    EXPECT_THAT(problem("(8,64:(64,1)"), HasSubstr("\":(64,1)\" where \")\""));
    EXPECT_THAT(problem("(8,64):(64)"), HasSubstr("different forms"));
    EXPECT_THAT(problem("(8,2,4):(8,4,1)"), HasSubstr("3 modes"));
    EXPECT_THAT(problem("Sw<3,3,2> o (8,64):(64,1)"), HasSubstr("would change the bits"));
    EXPECT_THAT(problem("Sw<11,3,3> o (8,64):(64,1)"), HasSubstr("from 0 to 10"));
    EXPECT_THAT(problem("Sw<3,3,3> (8,64):(64,1)"), HasSubstr("\"o\" is expected"));
    EXPECT_THAT(problem("(8,64):(64,1) o"), HasSubstr("\"o\" where its end"));
    EXPECT_THAT(problem("(0,64):(64,1)"), HasSubstr("no elements"));
    EXPECT_THAT(problem("1024x1025"), HasSubstr("more than 1048576 elements"));
    EXPECT_THAT(problem("(2,2):(1048576,1)"), HasSubstr("elements of memory"));
    EXPECT_THAT(problem("99999999999999999999x2"), HasSubstr("a number from 0 to"));
    EXPECT_THAT(problem(std::string(40, '(')), HasSubstr("less nesting"));
    EXPECT_THAT(problem("32x"), HasSubstr("its end where a number"));
    EXPECT_THAT(problem("32x32-1"), HasSubstr("\"-1\""));
    EXPECT_THAT(problem("Sw<3,3,3> o smem_ptr[16b"), HasSubstr("pointer"));
}

} // namespace
} // namespace lanescope::counting
