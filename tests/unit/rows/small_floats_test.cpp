// Conversions that GPUs have since sm_100: to and from FP4, FP6 and powers of two, and stochastic
// rounding. Compared with an implementation of the PTX manual's definitions that searches the
// format's values; not run on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/rows/rows.h"

namespace lanescope::simt {
namespace {

struct Format {
    const char* name;
    int exponent_bits;
    int fraction_bits;
    int apart; // bits from one packed value to the next

    int codes() const { return 1 << (exponent_bits + fraction_bits); }
    double value(int code) const
    {
        const int bias = (1 << (exponent_bits - 1)) - 1;
        const int exponent = code >> fraction_bits;
        const double fraction = std::ldexp(code & ((1 << fraction_bits) - 1), -fraction_bits);
        return exponent == 0 ? std::ldexp(fraction, 1 - bias)
                             : std::ldexp(1 + fraction, exponent - bias);
    }
    // The nearest value; of two, the one with an even code.
    int nearest(double size) const
    {
        int best = 0;
        for (int code = 1; code < codes(); ++code) {
            const double now = std::abs(value(code) - size);
            const double before = std::abs(value(best) - size);
            if (now < before || (now == before && code % 2 == 0)) best = code;
        }
        return best;
    }
    int encoded(float a, bool relu) const
    {
        if (std::isnan(a)) return codes() - 1;
        if (relu && std::signbit(a)) return 0;
        // Limited so that differences from large numbers are exact.
        const double size = std::min(1000.0, std::abs(static_cast<double>(a)));
        return nearest(size) | (std::signbit(a) ? codes() : 0);
    }
};
const Format formats[] = {{"e2m1x2", 2, 1, 4}, {"e2m3x2", 2, 3, 8}, {"e3m2x2", 3, 2, 8}};

// Values at, next to and halfway between those of the small formats, and random ones.
std::vector<float> interesting_floats()
{
    std::vector<float> all = {0.0f,
                              std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::denorm_min(),
                              std::numeric_limits<float>::max(),
                              std::bit_cast<float>(0x7f800001u),
                              0x1p-127f,
                              std::nextafter(0x1p-127f, 1.0f),
                              0x1.8p127f};
    for (int eighths = 0; eighths < 300; ++eighths) {
        const float a = static_cast<float>(eighths) / 32;
        for (const float each : {a, std::nextafter(a, 100.0f), std::nextafter(a, -1.0f), 8 * a})
            all.push_back(each);
    }
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i)
        all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    const std::size_t positive = all.size();
    for (std::size_t i = 0; i < positive; ++i) all.push_back(-all[i]);
    return all;
}

TEST(SmallFloats, PackFromSingles)
{
    const std::vector<float> values = interesting_floats();
    for (const Format& format : formats)
        for (const bool relu : {false, true}) {
            const std::string words =
                std::string("cvt.rn.satfinite.") + (relu ? "relu." : "") + format.name + ".f32";
            for (std::size_t i = 0; i + 1 < values.size(); ++i) {
                const int high = format.encoded(values[i], relu);
                const int low = format.encoded(values[i + 1], relu);
                ASSERT_EQ(result_of<std::uint16_t>(words, values[i], values[i + 1]),
                          high << format.apart | low)
                    << words << ' ' << values[i] << ' ' << values[i + 1];
            }
        }
}

TEST(SmallFloats, PackFromHalves)
{
    EXPECT_EQ(result_of<std::uint16_t>("cvt.rn.satfinite.e2m1x2.f16x2", 0xbc004200u), 0xa5);
    EXPECT_EQ(result_of<std::uint16_t>("cvt.rn.satfinite.e2m1x2.bf16x2", 0xbf804040u), 0xa5);
    EXPECT_EQ(result_of<std::uint16_t>("cvt.rn.satfinite.e3m2x2.bf16x2", 0x7f80c000u), 0x1f30);
    EXPECT_EQ(result_of<std::uint16_t>("cvt.rn.satfinite.e4m3x2.bf16x2", 0x3f80c000u), 0x38c0);
}

TEST(SmallFloats, UnpackToHalves)
{
    for (const Format& format : formats)
        for (const bool relu : {false, true}) {
            const std::string words =
                std::string("cvt.rn.") + (relu ? "relu." : "") + "f16x2." + format.name;
            for (int code = 0; code < 2 * format.codes(); ++code) {
                const bool negative = code >= format.codes();
                const int size = code % format.codes();
                const double value = negative && relu ? 0.0 : format.value(size);
                // All values are normal in f16.
                int exponent = 0;
                const double fraction = std::frexp(value, &exponent);
                std::uint32_t half =
                    value == 0 ? 0
                               : static_cast<std::uint32_t>((exponent - 1 + 15) << 10) +
                                     static_cast<std::uint32_t>((2 * fraction - 1) * 1024);
                if (negative && !relu) half |= 0x8000;
                const auto source = static_cast<std::uint16_t>(code << format.apart);
                EXPECT_EQ(result_of<std::uint32_t>(words, source), half << 16) << words << code;
            }
        }
}

TEST(SmallFloats, Powers)
{
    for (const bool up : {false, true})
        for (const bool finite : {false, true}) {
            const std::string words = std::string("cvt.") + (up ? "rp" : "rz") +
                                      (finite ? ".satfinite" : "") + ".ue8m0x2.f32";
            for (const float a : interesting_floats()) {
                int code = 0xff;
                const double size = std::abs(static_cast<double>(a));
                if (std::isinf(a)) {
                    code = finite ? 0xfe : 0xff;
                } else if (!std::isnan(a)) {
                    code = 0; // also for values below the smallest power
                    while (std::ldexp(1, code - 127 + 1) <= size) ++code;
                    if (up && std::ldexp(1, code - 127) < size) ++code;
                    if (finite && code == 0xff) code = 0xfe;
                }
                ASSERT_EQ(result_of<std::uint16_t>(words, a, 1.0f), code << 8 | 127)
                    << words << ' ' << a;
            }
        }
    EXPECT_EQ(result_of<std::uint16_t>("cvt.rp.ue8m0x2.bf16x2", 0x3fc0c040u), 0x8081);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rn.bf16x2.ue8m0x2", std::uint16_t{0xff00}),
              0x7fff0040u);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rn.bf16x2.ue8m0x2", std::uint16_t{0x017f}),
              0x00803f80u);
}

// Spacing of the halves around a value: 2^quantum.
struct Grid {
    const char* type;
    int precision;
    int lowest_exponent;
    int random_bits;
    std::uint32_t infinity;
};
const Grid grids[] = {{"f16x2", 11, -14, 13, 0x7c00}, {"bf16x2", 8, -126, 16, 0x7f80}};

std::uint32_t rounded_at_random(const Grid& grid, float a, std::uint32_t random, bool relu,
                                bool finite)
{
    if (std::isnan(a)) return 0x7fff;
    if (relu && std::signbit(a)) return 0;
    const std::uint32_t sign = std::signbit(a) ? 0x8000 : 0;
    const std::uint32_t limit = finite ? grid.infinity - 1 : grid.infinity;
    if (std::isinf(a)) return limit | sign;
    const double size = std::abs(static_cast<double>(a));
    int exponent = size == 0 ? grid.lowest_exponent : std::ilogb(size);
    exponent = std::max(exponent, grid.lowest_exponent);
    const double quanta = std::ldexp(size, grid.precision - 1 - exponent);
    double below = std::floor(quanta);
    // Only the highest discarded bits have random bits beside them.
    const double discarded = std::floor(std::ldexp(quanta - below, grid.random_bits));
    if (discarded + random >= std::ldexp(1, grid.random_bits)) below += 1;
    const double code = below + std::ldexp(exponent - grid.lowest_exponent, grid.precision - 1);
    return static_cast<std::uint32_t>(std::min<double>(code, limit)) | sign;
}

TEST(StochasticRounding, CarriesIntoKeptBits)
{
    std::mt19937 random(11);
    for (const Grid& grid : grids)
        for (const bool relu : {false, true})
            for (const bool finite : {false, true}) {
                const std::string words = std::string("cvt.rs.") + (relu ? "relu." : "") +
                                          (finite ? "satfinite." : "") + grid.type + ".f32";
                const std::uint32_t mask = (1u << grid.random_bits) - 1;
                std::vector<float> values = interesting_floats();
                for (int i = 0; i < 500; ++i) // around the range of f16
                    values.push_back(std::ldexp(
                        1.0f + static_cast<float>(random() % 0x10000) / 0x10000, i % 50 - 32));
                for (const float a : values) {
                    const auto bits = static_cast<std::uint32_t>(random());
                    const std::uint32_t high =
                        rounded_at_random(grid, a, (bits >> 16) & mask, relu, finite);
                    const std::uint32_t low =
                        rounded_at_random(grid, -a, bits & mask, relu, finite);
                    ASSERT_EQ(result_of<std::uint32_t>(words, a, -a, bits), high << 16 | low)
                        << words << ' ' << a << ' ' << bits;
                }
            }
}

TEST(CvtPack, FourAndTwoBits)
{
    const auto packed = [](const char* type, int a, int b) {
        return result_of<std::uint32_t>(std::string("cvt.pack.sat.") + type + ".s32.b32", a, b,
                                        0xabcdef12u);
    };
    EXPECT_EQ(packed("u4", 17, -3), 0xcdef12f0u);
    EXPECT_EQ(packed("s4", -9, 9), 0xcdef1287u);
    EXPECT_EQ(packed("u2", 2, 5), 0xbcdef12bu);
    EXPECT_EQ(packed("s2", -3, 1), 0xbcdef129u);
}

TEST(SmallFloats, OtherModifiersAreRefused)
{
    for (const char* words :
         {"cvt.rz.satfinite.e2m1x2.f32", "cvt.rn.e2m1x2.f32", "cvt.rn.satfinite.f16x2.e2m1x2",
          "cvt.rn.bf16x2.e2m1x2", "cvt.rn.ue8m0x2.f32", "cvt.rz.relu.ue8m0x2.f32",
          "cvt.rn.f16x2.ue8m0x2", "cvt.rs.f16.f32", "cvt.rs.bf16x2.f16x2", "cvt.pack.sat.u4.s32"})
        EXPECT_FALSE(find_row_operation(instruction(words), best_isa())) << words;
}

} // namespace
} // namespace lanescope::simt
