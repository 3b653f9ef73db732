// Conversions of f16 against the compiler's own type: every half, and floats around the rounding
// boundaries.
#include "compute/simt/operations/lanes/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace lanescope::simt {
namespace {

TEST(Half, WidensEveryValueExactly)
{
    for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float want = static_cast<float>(std::bit_cast<_Float16>(half));
        const float got = widen_half(half);
        if (std::isnan(want))
            EXPECT_TRUE(std::isnan(got)) << bits;
        else
            EXPECT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(want))
                << bits;
    }
}

// Every half, the midpoint to the next one, and the floats on both sides of it.
TEST(Half, RoundsToNearestEven)
{
    const auto compare = [](float value) {
        const std::uint16_t want = std::isnan(value)
                                       ? std::uint16_t{0x7fff}
                                       : std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
        EXPECT_EQ(round_to_half(value), want) << value;
    };
    for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
        const float here = widen_half(static_cast<std::uint16_t>(bits));
        const float next =
            bits == 0x7bff ? 65536.0F : widen_half(static_cast<std::uint16_t>(bits + 1));
        for (const float value : {here, here + (next - here) / 2}) {
            for (const float near :
                 {value, std::nextafter(value, 0.0F), std::nextafter(value, 1e9F)}) {
                compare(near);
                compare(-near);
            }
        }
    }
    compare(INFINITY);
    compare(-INFINITY);
    compare(NAN);
    compare(3e38F);
}

} // namespace
} // namespace lanescope::simt
