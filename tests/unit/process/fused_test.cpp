// The fused multiply-add of the program for Windows: equal to this machine's C library in every
// bit, in all rounding modes.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cstdint>
#include <random>
#include <vector>

#include "compute/process/windows/fused.h"

namespace lanescope {
namespace {

template <class T, class Bits>
class Operands {
public:
    // Any bits; or numbers of similar size, whose sums cancel; or neighbours of powers of two,
    // whose sums are near halfway between two numbers; or special values.
    T next()
    {
        constexpr int mantissa_bits = std::numeric_limits<T>::digits - 1;
        const auto bits = static_cast<Bits>(random_());
        switch (random_() % 4) {
        case 0: return std::bit_cast<T>(bits);
        case 1:
            return std::ldexp(T(1) + std::ldexp(static_cast<T>(random_() % 4096), -12),
                              static_cast<int>(random_() % 9) - 4) *
                   (random_() % 2 == 0 ? T(1) : T(-1));
        case 2: {
            const auto exponent = static_cast<Bits>(bits >> mantissa_bits << mantissa_bits);
            return std::bit_cast<T>(static_cast<Bits>(exponent + random_() % 5 - 2));
        }
        default: return special_[random_() % special_.size()];
        }
    }

private:
    using Limits = std::numeric_limits<T>;
    std::mt19937_64 random_{2026};
    std::vector<T> special_{0,
                            T(-0.0),
                            1,
                            -1,
                            Limits::min(),
                            -Limits::min(),
                            Limits::denorm_min(),
                            -Limits::denorm_min(),
                            Limits::max(),
                            -Limits::max(),
                            Limits::infinity(),
                            -Limits::infinity(),
                            Limits::quiet_NaN(),
                            T(0.5),
                            T(1) + Limits::epsilon(),
                            T(1) - Limits::epsilon() / 2};
};

template <class T, class Bits>
void expect_equal_to_the_library()
{
    Operands<T, Bits> operands;
    for (const int mode : {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
        int subnormal = 0;
        for (int i = 0; i < 200'000; ++i) {
            const T a = operands.next();
            const T b = operands.next();
            const T c = operands.next();
            std::fesetround(mode);
            const T wanted = std::fma(a, b, c);
            const T got = fused_in_integers(a, b, c);
            std::fesetround(FE_TONEAREST);
            subnormal += std::fpclassify(wanted) == FP_SUBNORMAL;
            if (std::isnan(wanted) && std::isnan(got)) continue;
            ASSERT_EQ(std::bit_cast<Bits>(got), std::bit_cast<Bits>(wanted))
                << std::hexfloat << a << " * " << b << " + " << c << " in mode " << mode << ": "
                << got << ", not " << wanted;
        }
        EXPECT_GT(subnormal, 400);
    }
}

TEST(FusedInIntegers, SinglesEqualTheLibrary)
{
    expect_equal_to_the_library<float, std::uint32_t>();
}

TEST(FusedInIntegers, DoublesEqualTheLibrary)
{
    expect_equal_to_the_library<double, std::uint64_t>();
}

} // namespace
} // namespace lanescope
