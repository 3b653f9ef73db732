// Values that the PTX manual defines, worked out by hand. Implementation-defined ones are recorded
// in tests/conformance.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/rows/rows.h"

namespace lanescope::simt {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float tiny = 0x1p-149f;
const float nan = std::nanf("");

TEST(Values, IntegersWrapAndSaturate)
{
    EXPECT_EQ(result_of<std::int32_t>("add.s32", INT32_MAX, 1), INT32_MIN);
    EXPECT_EQ(result_of<std::int32_t>("add.sat.s32", INT32_MAX, 1), INT32_MAX);
    EXPECT_EQ(result_of<std::int32_t>("div.s32", INT32_MIN, -1), INT32_MIN);
    EXPECT_EQ(result_of<std::uint32_t>("div.u32", 5u, 0u), ~0u);
    EXPECT_EQ(result_of<std::int32_t>("rem.s32", -7, 3), -1);
    EXPECT_EQ(result_of<std::uint64_t>("mul.wide.u32", ~0u, ~0u), 0xfffffffe00000001u);
    EXPECT_EQ(result_of<std::int32_t>("mul24.lo.s32", 0x00ffffff, 2), -2);
}

// Computes a quotient or remainder in 64 bits, which cannot overflow.
std::uint32_t divided(const std::string& words, std::uint32_t a, std::uint32_t b)
{
    if (b == 0) return ~0u;
    const auto number = [&](std::uint32_t bits) {
        return words.ends_with("s32") ? std::int64_t{static_cast<std::int32_t>(bits)}
                                      : std::int64_t{bits};
    };
    const std::int64_t whole = number(a) / number(b);
    return static_cast<std::uint32_t>(words.starts_with("div") ? whole
                                                               : number(a) - whole * number(b));
}

// There is a separate code path for warps whose lanes share a divisor.
TEST(Values, UniformDivisor)
{
    std::mt19937 random(7);
    std::vector<std::uint32_t> divisors{0, 1, 2, 3, 7, 32, 641, 65535, 65536, 0x7ffffffe};
    for (const std::uint32_t each : {0x7fffffffu, 0x80000000u, 0x80000001u, ~0u, ~0u - 1, ~0u - 6})
        divisors.push_back(each);
    for (int i = 0; i < 200; ++i)
        divisors.push_back(static_cast<std::uint32_t>(random() >> random() % 32));
    for (const Isa isa : runnable_sets())
        for (const std::string words : {"div.s32", "rem.s32", "div.u32", "rem.u32"})
            for (const std::uint32_t by : divisors) {
                const auto operation = find_row_operation(instruction(words), isa);
                ASSERT_TRUE(operation.has_value());
                // In half of the rows, no dividend has its top bit set.
                const std::uint32_t below = random() % 2 == 0 ? ~0u : 0x7fffffffu;
                std::array<Row, 4> sources{Row{}, every_lane(by)};
                for (int lane = 0; lane < warp_lanes; ++lane) {
                    // Multiples of the divisor and their neighbours, the limits, and random
                    // numbers.
                    std::uint32_t a = static_cast<std::uint32_t>(random());
                    if (lane % 4 == 1)
                        a = a % 1000 * by + static_cast<std::uint32_t>(random() % 3) - 1;
                    if (lane % 8 == 2) a = 0x80000000u - static_cast<std::uint32_t>(lane) / 16;
                    sources[0].set(lane, a & below);
                }
                const Row found = run(*operation, sources, full_mask).destinations[0];
                const auto native = run_native(*operation, isa, sources, full_mask);
                for (int lane = 0; lane < warp_lanes; ++lane) {
                    const auto a = sources[0].get<std::uint32_t>(lane);
                    const std::uint32_t wanted = divided(words, a, by);
                    EXPECT_EQ(found.get<std::uint32_t>(lane), wanted)
                        << words << ' ' << a << ' ' << by;
                    if (native) {
                        EXPECT_EQ(native->destinations[0].get<std::uint32_t>(lane), wanted)
                            << words << ' ' << a << ' ' << by << " in native code";
                    }
                }
            }
}

TEST(Values, MinimaAndMaximaOfFourBytes)
{
    const auto extremes = [](const char* words) {
        return result_of<std::uint32_t>(words, 0x80017f05u, 0x7f02ff05u, 100u);
    };
    EXPECT_EQ(extremes("vmax4.u32.u32.u32"), 0x8002ff05u);
    EXPECT_EQ(extremes("vmin4.u32.u32.u32"), 0x7f017f05u);
    EXPECT_EQ(extremes("vmax4.s32.s32.s32"), 0x7f027f05u);
    EXPECT_EQ(extremes("vmin4.s32.s32.s32"), 0x8001ff05u);
    EXPECT_EQ(extremes("vmax4.u32.u32.u32.add"), 100u + 0x80 + 0x02 + 0xff + 0x05);
    EXPECT_EQ(extremes("vmin4.s32.s32.s32.add"), 100u - 128 + 1 - 1 + 5);
    EXPECT_EQ(extremes("vmax4.s32.s32.u32"), 0x7f02ff05u); // sources with different signedness
}

TEST(Values, MinimaAndMaximaOfTwoHalves)
{
    const auto extremes = [](const char* words) {
        return result_of<std::uint32_t>(words, 0x80017f05u, 0x7f02ff05u, 100u);
    };
    EXPECT_EQ(extremes("vmax2.u32.u32.u32"), 0x8001ff05u);
    EXPECT_EQ(extremes("vmin2.u32.u32.u32"), 0x7f027f05u);
    EXPECT_EQ(extremes("vmax2.s32.s32.s32"), 0x7f027f05u);
    EXPECT_EQ(extremes("vmin2.s32.s32.s32"), 0x8001ff05u);
    EXPECT_EQ(extremes("vmax2.u32.u32.u32.add"), 100u + 0x8001 + 0xff05);
    EXPECT_EQ(extremes("vmin2.s32.s32.s32.add"), 100u - 0x7fff - 0xfb);
    EXPECT_EQ(extremes("vmin2.s32.s32.u32"), 0x80017f05u);
}

// Conversions to two packed FP8 numbers: the first source goes to the upper byte.
TEST(Values, Fp8RoundsToNearest)
{
    const auto e4m3 = [](float a) {
        return result_of<std::uint16_t>("cvt.rn.satfinite.e4m3x2.f32", 1.0f, a) - 0x3800;
    };
    EXPECT_EQ(e4m3(448.0f), 0x7e);
    EXPECT_EQ(e4m3(1000.0f), 0x7e);
    EXPECT_EQ(e4m3(-infinity), 0xfe);
    EXPECT_EQ(e4m3(nan), 0x7f);
    EXPECT_EQ(e4m3(-0.0f), 0x80);
    EXPECT_EQ(e4m3(0x1p-9f), 0x01);
    EXPECT_EQ(e4m3(0x1p-10f), 0x00); // half of the smallest number: a tie, rounded to even
    EXPECT_EQ(e4m3(0x1.8p-9f), 0x02);
    EXPECT_EQ(e4m3(0x1.fp-7f), 0x08); // rounds up to a normal number
    EXPECT_EQ(e4m3(1.0625f), 0x38);
    EXPECT_EQ(e4m3(1.1875f), 0x3a);
    EXPECT_EQ(e4m3(tiny), 0x00);
    const auto e5m2 = [](float a) {
        return result_of<std::uint16_t>("cvt.rn.satfinite.e5m2x2.f32", 1.0f, a) - 0x3c00;
    };
    EXPECT_EQ(e5m2(57344.0f), 0x7b);
    EXPECT_EQ(e5m2(1e30f), 0x7b);
    EXPECT_EQ(e5m2(infinity), 0x7b);
    EXPECT_EQ(e5m2(nan), 0x7f);
    EXPECT_EQ(e5m2(0x1p-16f), 0x01);
    EXPECT_EQ(e5m2(-1.125f), 0xbc);
    EXPECT_EQ(result_of<std::uint16_t>("cvt.rn.satfinite.relu.e4m3x2.f32", -1.0f, 2.0f), 0x0040);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rn.f16x2.e4m3x2", std::uint16_t{0x387e}), 0x3c005f00u);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rn.f16x2.e5m2x2", std::uint16_t{0xfcff}), 0xfc007fffu);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rn.relu.f16x2.e4m3x2", std::uint16_t{0xb801}), 0x1800u);
    for (const char* type : {"e4m3x2", "e5m2x2"})
        for (unsigned octet = 0; octet < 256; ++octet) {
            const unsigned size = octet & 0x7f;
            const bool is_number = std::string(type) == "e4m3x2" ? size < 0x7f : size < 0x7c;
            if (!is_number) continue;
            const auto half = result_of<std::uint32_t>(std::string("cvt.rn.f16x2.") + type,
                                                       static_cast<std::uint16_t>(octet));
            EXPECT_EQ(
                result_of<std::uint16_t>(std::string("cvt.rn.satfinite.") + type + ".f16x2", half),
                octet)
                << type;
        }
}

TEST(Values, ShiftsClampAtWidth)
{
    EXPECT_EQ(result_of<std::uint32_t>("shl.b32", 1u, 32u), 0u);
    EXPECT_EQ(result_of<std::uint32_t>("shl.b32", 1u, 31u), 0x80000000u);
    EXPECT_EQ(result_of<std::int32_t>("shr.s32", -8, 200u), -1);
    EXPECT_EQ(result_of<std::uint32_t>("shr.u32", 0x80000000u, 200u), 0u);
}

TEST(Values, RoundingModes)
{
    const float third = 1.0f / 3.0f; // rounded to nearest, which here is up
    EXPECT_EQ(result_of<float>("div.rn.f32", 1.0f, 3.0f), third);
    EXPECT_EQ(result_of<float>("div.rz.f32", 1.0f, 3.0f), std::nextafter(third, 0.0f));
    EXPECT_EQ(result_of<float>("add.rp.f32", 1.0f, tiny), std::nextafter(1.0f, 2.0f));
    EXPECT_EQ(result_of<float>("add.rm.f32", -1.0f, -tiny), -std::nextafter(1.0f, 2.0f));
    EXPECT_EQ(1.0f + tiny, 1.0f); // the processor's rounding mode was restored
    EXPECT_EQ(result_of<float>("fma.rn.f32", 1.0f + 0x1p-12f, 1.0f - 0x1p-12f, -1.0f), -0x1p-24f);
}

// If the f64 sum is halfway between two f32 numbers, only its rounding error shows which of them is
// nearer.
TEST(Values, FmaRoundsOnce)
{
    std::mt19937 random(7);
    const auto any = [&] { return std::bit_cast<float>(static_cast<std::uint32_t>(random())); };
    const auto near_one = [&] {
        return std::bit_cast<float>(static_cast<std::uint32_t>(0x3f800000u + random() % 64));
    };
    for (const Isa isa : runnable_sets()) {
        const auto fma = find_row_operation(instruction("fma.rn.f32"), isa);
        for (int round = 0; round < 4000; ++round) {
            std::array<Row, 4> sources;
            for (int lane = 0; lane < warp_lanes; ++lane) {
                float a = any(), b = any(), c = any();
                // In one of three rows, some lane is close to a tie, subnormal, or has a product
                // that is not exact in f32.
                const auto kind = random() % 256;
                if (kind == 1) {
                    const float little = std::ldexp(1.0f, -15 - static_cast<int>(random() % 8));
                    a = 1 + little, b = 1 - little, c = std::ldexp(near_one(), 24);
                }
                if (kind == 2) a = near_one(), b = std::ldexp(near_one(), -126), c = 0x1p-149f;
                if (kind == 3) c = -(a * b);
                sources[0].set(lane, a), sources[1].set(lane, b), sources[2].set(lane, c);
            }
            const Row got = run(*fma, sources, full_mask).destinations[0];
            for (int lane = 0; lane < warp_lanes; ++lane) {
                const float a = sources[0].get<float>(lane), b = sources[1].get<float>(lane),
                            c = sources[2].get<float>(lane);
                const float exact = std::fma(a, b, c);
                const auto bits = exact == exact ? std::bit_cast<std::uint32_t>(exact) : 0x7fffffff;
                ASSERT_EQ(got.get<std::uint32_t>(lane), bits)
                    << static_cast<int>(isa) << ": " << a << " * " << b << " + " << c;
            }
        }
    }
}

TEST(Values, NanSubnormalsAndSaturation)
{
    EXPECT_EQ(result_of<std::uint32_t>("add.f32", infinity, -infinity), 0x7fffffffu);
    EXPECT_EQ(result_of<float>("min.f32", nan, 2.0f), 2.0f);
    EXPECT_TRUE(std::isnan(result_of<float>("min.NaN.f32", nan, 2.0f)));
    EXPECT_TRUE(std::signbit(result_of<float>("min.f32", 0.0f, -0.0f)));
    EXPECT_EQ(result_of<float>("add.ftz.f32", tiny, 0.0f), 0.0f);
    EXPECT_EQ(result_of<float>("add.f32", tiny, 0.0f), tiny);
    EXPECT_EQ(result_of<float>("add.sat.f32", 3.0f, 1.0f), 1.0f);
    EXPECT_EQ(result_of<float>("add.sat.f32", nan, 1.0f), 0.0f);
}

// The largest 24-bit number below the smallest normal number is flushed, although rounding it to
// subnormal precision would give a normal number (an H100 gives 0 for all of these).
TEST(Values, FlushingUsesFullPrecision)
{
    const float below_one = 0x1.fffffep-1f;
    const float smallest = 0x1p-126f;
    EXPECT_EQ(result_of<float>("mul.rn.f32", below_one, smallest), smallest);
    EXPECT_EQ(result_of<float>("mul.rn.ftz.f32", below_one, smallest), 0.0f);
    EXPECT_EQ(result_of<float>("mul.rn.ftz.sat.f32", below_one, smallest), 0.0f);
    EXPECT_TRUE(std::signbit(result_of<float>("mul.rn.ftz.f32", -below_one, smallest)));
    EXPECT_EQ(result_of<float>("mul.rp.ftz.f32", below_one, smallest), 0.0f);
    EXPECT_EQ(result_of<float>("mul.rm.ftz.f32", below_one, -smallest), 0.0f);
    EXPECT_EQ(result_of<float>("fma.rn.ftz.f32", below_one, smallest, 0.0f), 0.0f);
    EXPECT_EQ(result_of<float>("div.rn.ftz.f32", 0x1.fffffep-126f, 2.0f), 0.0f);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rn.ftz.f32.f64",
                                       std::bit_cast<double>(std::uint64_t{0x380fffffe0000000})),
              0u);
    EXPECT_EQ(result_of<std::uint32_t>("mul.ftz.f16", std::uint16_t{0x3bff}, std::uint16_t{0x0400}),
              0u);
    EXPECT_EQ(result_of<std::uint32_t>("fma.rn.ftz.f16", std::uint16_t{0x3bff},
                                       std::uint16_t{0x0400}, std::uint16_t{0}),
              0u);
}

// A value that rounds up to the smallest normal number, at full precision, is not flushed.
TEST(Values, FlushingKeepsValuesThatRoundToNormal)
{
    const float smallest = 0x1p-126f;
    EXPECT_EQ(result_of<float>("mul.rn.ftz.f32", 1.0f - 0x1p-24f, 0x1.000002p-126f), smallest);
    EXPECT_EQ(result_of<float>("fma.rn.ftz.f32", -0x1p-100f, 0x1p-100f, smallest), smallest);
    EXPECT_EQ(result_of<float>("fma.rp.ftz.f32", -0x1p-100f, 0x1p-100f, smallest), smallest);
    EXPECT_EQ(result_of<float>("fma.rz.ftz.f32", -0x1p-100f, 0x1p-100f, smallest), 0.0f);
    EXPECT_EQ(result_of<float>("cvt.rn.ftz.f32.f64", 0x1p-126 - 0x1p-151), smallest);
    EXPECT_EQ(result_of<float>("cvt.rp.ftz.f32.f64", 0x1p-126 - 0x1p-151), smallest);
    EXPECT_EQ(result_of<float>("cvt.rp.ftz.f32.f64", 0x1p-126 - 0x1p-150), 0.0f);
    EXPECT_EQ(result_of<float>("cvt.rm.ftz.f32.f64", 0x1p-126 - 0x1p-151), 0.0f);
    EXPECT_EQ(result_of<float>("mul.rn.ftz.f32", 1.0f, smallest), smallest);
}

// The destination may be one of the sources, so flushing must use copies of the operands.
TEST(Values, FlushingInPlace)
{
    const auto multiply = find_row_operation(instruction("mul.rn.ftz.f32"), best_isa());
    Row a = every_lane(0x1.fffffep-1f);
    const Row b = every_lane(0x1p-126f);
    RowOperands operands;
    operands.d = &a;
    operands.a = &a;
    operands.b = &b;
    multiply->run(operands, 0xffff0000u);
    EXPECT_EQ(a.get<float>(15), 0x1.fffffep-1f);
    EXPECT_EQ(a.get<float>(16), 0.0f);
}

TEST(Values, Tf32SaturatesToTheLargestFiniteNumber)
{
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rna.tf32.f32", infinity), 0x7f800000u);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rna.satfinite.tf32.f32", infinity), 0x7f7fe000u);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rna.satfinite.tf32.f32", -infinity), 0xff7fe000u);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rna.satfinite.tf32.f32", 0x1.fffffep127f), 0x7f7fe000u);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rna.satfinite.tf32.f32", 1.5f), 0x3fc00000u);
}

// p may be the predicate with which the results are combined: q must still use its old value.
TEST(Values, PackedComparisonsReadPredicateFirst)
{
    const auto setp = find_row_operation(instruction("setp.lt.and.f16x2", 4), best_isa());
    const Row a = every_lane(std::uint32_t{0x3c003c00}); // 1, 1
    const Row b = every_lane(std::uint32_t{0x40000000}); // 2, 0: 1 is less only in the high half
    Row p = every_lane(full_mask);
    Row q;
    RowOperands operands;
    operands.d = &p;
    const MoreOperands more{.d2 = &q};
    operands.more = &more;
    operands.a = &a;
    operands.b = &b;
    operands.c = &p;
    setp->run(operands, full_mask);
    EXPECT_EQ(p.get<std::uint32_t>(0), 0u);
    EXPECT_EQ(q.get<std::uint32_t>(0), full_mask);
}

TEST(Values, Conversions)
{
    EXPECT_EQ(result_of<std::int32_t>("cvt.rni.s32.f32", 2.5f), 2);
    EXPECT_EQ(result_of<std::int32_t>("cvt.rpi.s32.f32", -2.5f), -2);
    EXPECT_EQ(result_of<std::int32_t>("cvt.rzi.s32.f32", 1e20f), INT32_MAX);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rzi.u32.f32", -5.0f), 0u);
    EXPECT_EQ(result_of<std::int32_t>("cvt.rzi.s32.f32", nan), 0);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.sat.u8.s32", 300), 255u);
    EXPECT_EQ(result_of<std::int32_t>("cvt.s8.s32", 0x80), -128);
    EXPECT_EQ(result_of<float>("cvt.rz.f32.u64", ~std::uint64_t{0}), 0x1.fffffep63f);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rn.f16.f32", 65520.0f), 0x7c00u);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rz.f16.f32", 65520.0f), 0x7bffu);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rn.f16.f32", 0x1p-25f), 0u);
    EXPECT_EQ(result_of<float>("cvt.f32.f16", std::uint16_t{1}), 0x1p-24f);
    EXPECT_EQ(result_of<std::uint32_t>("cvt.rn.bf16x2.f32", 1.0f, 2.0f), 0x3f804000u);
}

// 1 + 2^-9 + half an ulp + a little rounds up in f16. If the product were rounded first, the sum
// would be a tie and round down.
TEST(Values, HalvesFuseWithOneRounding)
{
    const std::uint16_t one_and = 0x3c01; // 1 + 2^-10
    EXPECT_EQ(result_of<std::uint32_t>("fma.rn.f16", one_and, one_and, std::uint16_t{0x1001}),
              0x3c03u);
    EXPECT_EQ(result_of<std::uint32_t>("mul.f16", std::uint16_t{0x7bff}, std::uint16_t{0x4000}),
              0x7c00u);
    EXPECT_EQ(result_of<std::uint32_t>("fma.rn.relu.f16", std::uint16_t{0xbc00},
                                       std::uint16_t{0x3c00}, std::uint16_t{0}),
              0u);
}

TEST(Values, ApproximationsAreClose)
{
    for (float x = -3.0f; x < 3.0f; x += 0.01f) {
        EXPECT_NEAR(result_of<float>("sin.approx.f32", x), std::sin(x), 0x1p-20);
        EXPECT_NEAR(result_of<float>("cos.approx.f32", x), std::cos(x), 0x1p-20);
        EXPECT_NEAR(result_of<float>("ex2.approx.f32", x), std::exp2(x), 0x1p-21 * std::exp2(x));
        EXPECT_NEAR(result_of<float>("tanh.approx.f32", x), std::tanh(x), 0x1p-11);
        if (x <= 0.01f) continue;
        EXPECT_NEAR(result_of<float>("lg2.approx.f32", x), std::log2(x), 0x1p-20);
    }
    EXPECT_EQ(result_of<float>("ex2.approx.f32", -infinity), 0.0f);
    EXPECT_EQ(result_of<float>("lg2.approx.f32", 0.0f), -infinity);
}

// On an H100, for all operands: the special-function unit's f32 result, truncated to 16 bits.
TEST(Values, HalfEx2IsTruncatedFloatEx2)
{
    const auto cut = [](const char* to, float power) {
        return result_of<std::uint32_t>(std::string("cvt.rz.") + to + ".f32", power);
    };
    for (std::uint32_t bits = 0; bits < 0x10000; bits += 7) {
        const auto half = static_cast<std::uint16_t>(bits);
        const auto bfloat = std::bit_cast<float>(bits << 16);
        const float wide = result_of<float>("cvt.f32.f16", half);
        const float power = result_of<float>("ex2.approx.f32", wide);
        ASSERT_EQ(result_of<std::uint32_t>("ex2.approx.f16", half),
                  power >= 65536.0f ? 0x7c00u : cut("f16", power))
            << bits;
        ASSERT_EQ(result_of<std::uint32_t>("ex2.approx.ftz.bf16", half),
                  cut("bf16", result_of<float>("ex2.approx.ftz.f32", bfloat)))
            << bits;
    }
    EXPECT_EQ(result_of<std::uint32_t>("ex2.approx.f16", std::uint16_t{0x4c00}), 0x7c00u);
    EXPECT_EQ(result_of<std::uint32_t>("ex2.approx.f16x2", 0x4c003c00u), 0x7c004000u);
    EXPECT_EQ(result_of<std::uint32_t>("ex2.approx.ftz.bf16", std::uint16_t{0xc300}), 0u);
    EXPECT_EQ(result_of<std::uint32_t>("ex2.approx.ftz.bf16x2", 0xc2fd3f80u), 0x00004000u);
}

// Results of an H100: for one value inside every segment, and for the values at the outer ends.
TEST(Values, HyperbolicTangentsMatchGpu)
{
    constexpr std::pair<std::uint32_t, std::uint32_t> values[] = {
        {0x3bc164d8, 0x3bc1647d}, {0x3c5bc8fb, 0x3c5bc546}, {0x3c876ce2, 0x3c8769db},
        {0x3d3b9985, 0x3d3b7804}, {0x3d5fe0f5, 0x3d5fa7e8}, {0x3d86a320, 0x3d8671bf},
        {0x3dd413b4, 0x3dd3529f}, {0x3e073ec4, 0x3e0676f4}, {0x3e37cb76, 0x3e35d88e},
        {0x3e5e053a, 0x3e5a9afe}, {0x3e6fc7d9, 0x3e6b7e00}, {0x3e985e56, 0x3e9405f8},
        {0x3ea686bf, 0x3ea0e4ac}, {0x3ecff508, 0x3ec53a9e}, {0x3ee0d6dc, 0x3ed36b9c},
        {0x3f0ddee6, 0x3f00ef12}, {0x3f3a1f25, 0x3f1f0a4e}, {0x3f51e30a, 0x3f2cccda},
        {0x3f6ba720, 0x3f39e43f}, {0x3f8c7645, 0x3f4cafa6}, {0x3f951b7a, 0x3f52978c},
        {0x3fa24d43, 0x3f5a6e4d}, {0x3fb470c8, 0x3f632e2c}, {0x3fce3c18, 0x3f6c6015},
        {0x3fd40deb, 0x3f6e0501}, {0x3fe43b51, 0x3f71ecd2}, {0x3ff00e8a, 0x3f743f15},
        {0x400015c3, 0x3f76d0bc}, {0x400b59ee, 0x3f798190}, {0x4013729c, 0x3f7af186},
        {0x401aa759, 0x3f7bf46f}, {0x4022a9eb, 0x3f7cd856}, {0x402ca0fe, 0x3f7daf8b},
        {0x403504b7, 0x3f7e37b5}, {0x403b2ea6, 0x3f7e8762}, {0x404346c6, 0x3f7edb5e},
        {0x404ae81d, 0x3f7f1956}, {0x4053266a, 0x3f7f4da6}, {0x405e21ae, 0x3f7f816c},
        {0x4064c7d6, 0x3f7f9926}, {0x4068585a, 0x3f7fa3fa}, {0x4075c76f, 0x3f7fc384},
        {0x407ea375, 0x3f7fd224}, {0x40854f83, 0x3f7fe059}, {0x4094a997, 0x3f7ff3de},
        {0x40a87125, 0x3f7ffc7e}, {0x40b2159f, 0x3f7ffe11}, {0x40ca9e8d, 0x3f7fff97},
        {0x40d9a4bb, 0x3f7fffd8}, {0x40e01bb6, 0x3f7fffe4}, {0x40fad00d, 0x3f7ffffb},
        {0x3b800000, 0x3b800000}, {0x3b80ffff, 0x3b80ffc0}, {0x3b810000, 0x3b80ffff},
        {0x40ffffff, 0x3f7ffffc}, {0x41000000, 0x3f800000}};
    for (const auto& [x, want] : values) {
        ASSERT_EQ(result_of<std::uint32_t>("tanh.approx.f32", std::bit_cast<float>(x)), want) << x;
        ASSERT_EQ(result_of<std::uint32_t>("tanh.approx.f32", -std::bit_cast<float>(x)),
                  want | 0x80000000)
            << x;
    }
    for (const float same : {0.0f, -0.0f, 0x1p-149f, 0x1.23p-130f, -0x1.fffffep-9f})
        EXPECT_EQ(result_of<std::uint32_t>("tanh.approx.f32", same),
                  std::bit_cast<std::uint32_t>(same));
    EXPECT_EQ(result_of<float>("tanh.approx.f32", -infinity), -1.0f);
    EXPECT_EQ(result_of<std::uint32_t>("tanh.approx.f32", -nan), 0x7fffffffu);
}

// The same for f64: the approximations from the upper word, and the refined result of the sequence
// that ptxas emits for the full-precision form.
TEST(Values, DoubleApproximationsMatchGpu)
{
    struct Value {
        std::uint32_t high, reciprocal, root;
        std::uint64_t refined;
    };
    constexpr Value values[] = {
        {0x00000123, 0x7ff00000, 0x7ff00000, 0x603e0393a3a5bf11},
        {0x00100163, 0x7fcffd3a, 0x5fdffe9d, 0x5fdffe9d1711c177},
        {0x3ff000df, 0x3feffe42, 0x3fefff21, 0x3fefff21091aa243},
        {0x4000011f, 0x3fdffdc2, 0x3fe69fd3, 0x3fe69fd3809c214b},
        {0x5a3029de, 0x25afad1c, 0x32cfd673, 0x32cfd67378c19085},
        {0x7fc0001b, 0x001fffca, 0x2006a08b, 0x2006a08b4f11bef4},
        {0x7fd0005b, 0x00000000, 0x1fffffa4, 0x1fffffa5018424d0},
        {0x7fe0009b, 0x00000000, 0x1ff6a030, 0x1ff6a030cf9c351b},
        {0x7ff000db, 0x7fffffff, 0x7fffffff, 0x7ff800db00000000},
        {0x8000011b, 0xfff00000, 0xfff00000, 0xfff8000000000000},
        {0xbff000d7, 0xbfeffe52, 0x7fffffff, 0xfff8000000000000},
        {0xfff000d3, 0x7fffffff, 0x7fffffff, 0xfff800d300000000},
    };
    for (const Value& value : values) {
        const auto a = std::bit_cast<double>(std::uint64_t{value.high} << 32);
        const auto beside = std::bit_cast<double>(std::uint64_t{value.high} << 32 | 0x9e3779b9);
        for (const double of : {a, beside}) {
            EXPECT_EQ(result_of<std::uint64_t>("rcp.approx.ftz.f64", of),
                      std::uint64_t{value.reciprocal} << 32)
                << value.high;
            EXPECT_EQ(result_of<std::uint64_t>("rsqrt.approx.ftz.f64", of),
                      std::uint64_t{value.root} << 32)
                << value.high;
        }
        EXPECT_EQ(result_of<std::uint64_t>("rsqrt.approx.f64", a), value.refined) << value.high;
    }
}

TEST(Values, HalfHyperbolicTangentsAreTruncated)
{
    for (const std::uint16_t line : {0x0001, 0x1a3b, 0x1c07, 0x9c07})
        EXPECT_EQ(result_of<std::uint32_t>("tanh.approx.f16", line), line);
    EXPECT_EQ(result_of<std::uint32_t>("tanh.approx.f16", std::uint16_t{0x1c08}), 0x1c07u);
    EXPECT_EQ(result_of<std::uint32_t>("tanh.approx.bf16", std::uint16_t{0x3b81}), 0x3b80u);
    EXPECT_EQ(result_of<std::uint32_t>("tanh.approx.bf16", std::uint16_t{0x4080}), 0x3f7fu);
    EXPECT_EQ(result_of<std::uint32_t>("tanh.approx.f16", std::uint16_t{0x4800}), 0x3c00u);
    EXPECT_EQ(result_of<std::uint32_t>("tanh.approx.f16", std::uint16_t{0xc836}), 0xbc00u);
    EXPECT_EQ(result_of<float>("tanh.approx.f32", 8.0f), 1.0f);
    EXPECT_EQ(result_of<std::uint32_t>("tanh.approx.f16x2", 0xc1001c08u), 0xbbe4u << 16 | 0x1c07u);
}

// The quotient's product is subnormal and would round to the smallest normal number.
TEST(Values, QuotientsAreFlushedBeforeRounding)
{
    const float a = -0x1.fffffep-1f;
    for (const char* op : {"div.approx.ftz.f32", "div.full.ftz.f32"}) {
        EXPECT_EQ(result_of<std::uint32_t>(op, a, 0x1p126f), 0x80000000u) << op;
        EXPECT_EQ(result_of<std::uint32_t>(op, 1.0f, 0x1p126f), 0x00800000u) << op;
    }
    EXPECT_EQ(result_of<std::uint32_t>("div.approx.f32", a, 0x1p126f), 0x80800000u);
}

// From 2^25 · pi / 2 on, both the quadrant and the position in it are lost; from half of that on,
// only the quadrant's upper bit is kept (measured on an H100 for all arguments).
TEST(Values, LargeAnglesLoseQuadrant)
{
    for (const float angle : {0x1p26f, 0x1.0003bep32f, 0x1.fffffep32f, 0x1p33f, 0x1p127f}) {
        EXPECT_EQ(result_of<float>("cos.approx.f32", -angle), 1.0f) << angle;
        EXPECT_EQ(result_of<std::uint32_t>("sin.approx.f32", angle), 0u) << angle;
        EXPECT_EQ(result_of<std::uint32_t>("sin.approx.ftz.f32", -angle), 0x80000000u) << angle;
    }
    for (float angle = 0x1.a4p24f; angle < 0x1.8p25f; angle += 0x1p16f)
        EXPECT_EQ(std::abs(result_of<float>("cos.approx.f32", angle)), 1.0f) << angle;
}

TEST(Values, ExtendedPrecisionCarries)
{
    const auto low = find_row_operation(instruction("add.cc.u32"), best_isa());
    const auto high = find_row_operation(instruction("addc.u32"), best_isa());
    const std::array<Row, 4> sources{every_lane(~0u), every_lane(1u), Row{}, Row{}};
    const Result first = run(*low, sources, 0x0000ffffu, {}, 0xf0000000u);
    EXPECT_EQ(first.carry, 0xf000ffffu);
    const Result second = run(*high, sources, full_mask, {}, first.carry);
    EXPECT_EQ(second.destinations[0].get<std::uint32_t>(0), 1u);
    EXPECT_EQ(second.destinations[0].get<std::uint32_t>(20), 0u);
}

TEST(Values, VectorsPackAndUnpack)
{
    ptx::Instruction pack = instruction("mov.b64", 2);
    pack.operands[1].kind = ptx::Operand::Kind::vector;
    pack.operands[1].elements.resize(2);
    const auto packing = find_row_operation(pack, best_isa());
    ASSERT_TRUE(packing.has_value());
    EXPECT_EQ(packing->source_count, 2);
    const Result packed =
        run(*packing, {every_lane(0x11111111u), every_lane(0x22222222u), Row{}, Row{}}, full_mask);
    EXPECT_EQ(packed.destinations[0].get<std::uint64_t>(5), 0x2222222211111111u);
    ptx::Instruction unpack = instruction("mov.b32", 2);
    unpack.operands[0].kind = ptx::Operand::Kind::vector;
    unpack.operands[0].elements.resize(2);
    const auto unpacking = find_row_operation(unpack, best_isa());
    ASSERT_TRUE(unpacking.has_value());
    const Result halves =
        run(*unpacking, {every_lane(0xabcd1234u), Row{}, Row{}, Row{}}, full_mask);
    EXPECT_EQ(halves.destinations[0].get<std::uint32_t>(9), 0x1234u);
    EXPECT_EQ(halves.destinations[1].get<std::uint32_t>(9), 0xabcdu);
}

} // namespace
} // namespace lanescope::simt
