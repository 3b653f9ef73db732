// f32 arithmetic that GPUs have since sm_100, compared with the f32 instructions from which the PTX
// manual defines it: pairs of f32, sums with halves, and extremes of three. Not run on a GPU.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "tests/unit/rows/rows.h"

namespace lanescope::simt {
namespace {

constexpr std::uint32_t special[] = {0,          0x80000000, 1,          0x80000001, 0x7fffff,
                                     0x800000,   0x80800000, 0x7f800000, 0xff800000, 0x7fc00000,
                                     0x7f800001, 0x3f800000, 0xbf800000, 0x3f800001, 0x7f7fffff};

std::uint32_t some_single(std::mt19937& random)
{
    const auto bits = static_cast<std::uint32_t>(random());
    if (random() % 2 == 0) return special[bits % std::size(special)];
    return random() % 2 == 0 ? bits : (bits & 0x807fffffu) | 0x3f000000u;
}

template <class Of>
Row filled(Of of)
{
    Row row;
    for (int lane = 0; lane < warp_lanes; ++lane) row.set(lane, of(lane));
    return row;
}

Result run_words(const std::string& words, int operands, const std::array<Row, 4>& sources, Isa isa,
                 std::uint32_t active = full_mask)
{
    const auto operation = find_row_operation(instruction(words, operands), isa);
    if (!operation) throw std::runtime_error("no row operation for " + words);
    return run(*operation, sources, active);
}

TEST(PairsOfSingles, EqualTwoSingleOperations)
{
    std::mt19937 random(21);
    for (const Isa isa : runnable_sets())
        for (const std::string op : {"add", "sub", "mul", "fma"})
            for (const std::string mode : {"rn", "rz", "rm", "rp", "rn.ftz", "rp.ftz"})
                for (const std::uint32_t active : {full_mask, 0x8001fffeu}) {
                    std::array<Row, 4> halves[2], pairs;
                    for (std::size_t k = 0; k < 3; ++k) {
                        for (auto& half : halves)
                            half[k] = filled([&](int) { return some_single(random); });
                        pairs[k] = filled([&](int lane) {
                            return std::uint64_t{halves[1][k].get<std::uint32_t>(lane)} << 32 |
                                   halves[0][k].get<std::uint32_t>(lane);
                        });
                    }
                    const std::string words = fmt::format("{}.{}.f32", op, mode);
                    const Row low = run_words(words, 3, halves[0], isa).destinations[0];
                    const Row high = run_words(words, 3, halves[1], isa).destinations[0];
                    const Row both = run_words(words + "x2", 3, pairs, isa, active).destinations[0];
                    for (int lane = 0; lane < warp_lanes; ++lane) {
                        const bool runs = (active >> lane & 1u) != 0;
                        const std::uint64_t wanted = std::uint64_t{high.get<std::uint32_t>(lane)}
                                                         << 32 |
                                                     low.get<std::uint32_t>(lane);
                        ASSERT_EQ(both.get<std::uint64_t>(lane), runs ? wanted : 0)
                            << words << ' ' << lane;
                    }
                }
}

TEST(MixedPrecision, WidensHalvesFirst)
{
    std::mt19937 random(22);
    for (const Isa isa : runnable_sets())
        for (const std::string op : {"add", "sub", "fma"})
            for (const std::string flags : {"rn", "rz", "rm", "rp", "rn.sat", "rz.sat"})
                for (const std::string half : {"f16", "bf16"}) {
                    std::array<Row, 4> mixed, wide;
                    for (std::size_t k = 0; k < 3; ++k) {
                        const bool is_last = k == (op == "fma" ? 2u : 1u);
                        mixed[k] = filled([&](int) {
                            const std::uint32_t bits = some_single(random);
                            return is_last ? bits : bits >> 16;
                        });
                        wide[k] =
                            is_last
                                ? mixed[k]
                                : run_words("cvt.f32." + half, 2, {mixed[k]}, isa).destinations[0];
                    }
                    const std::string words = fmt::format("{}.{}.f32", op, flags);
                    EXPECT_EQ(run_words(words + "." + half, 3, mixed, isa).destinations[0],
                              run_words(words, 3, wide, isa).destinations[0])
                        << words << ' ' << half;
                }
}

TEST(ExtremesOfThree, EqualTwoExtremesOfTwo)
{
    std::mt19937 random(23);
    for (const Isa isa : runnable_sets())
        for (const std::string op : {"min", "max"})
            for (const std::string flags : {"", ".ftz", ".NaN", ".ftz.NaN"})
                for (const std::string abs : {"", ".abs"}) {
                    std::array<Row, 4> three, sized;
                    for (std::size_t k = 0; k < 3; ++k) {
                        three[k] = filled([&](int) { return some_single(random); });
                        sized[k] = abs.empty()
                                       ? three[k]
                                       : run_words("abs.f32", 2, {three[k]}, isa).destinations[0];
                    }
                    const std::string two = op + flags + ".f32";
                    const Row first = run_words(two, 3, {sized[0], sized[1]}, isa).destinations[0];
                    EXPECT_EQ(run_words(op + flags + abs + ".f32", 4, three, isa).destinations[0],
                              run_words(two, 3, {first, sized[2]}, isa).destinations[0])
                        << op << flags << abs;
                }
}

TEST(ExtremesOfThree, OtherTypesAndModifiersAreRefused)
{
    for (const char* words : {"min.f16", "max.s32", "min.f64", "max.xorsign.abs.f32"})
        EXPECT_FALSE(find_row_operation(instruction(words, 4), best_isa())) << words;
    // .abs of two values needs .xorsign, and the other way round.
    for (const char* words : {"min.abs.f32", "max.xorsign.f32", "min.abs.f16x2"})
        EXPECT_FALSE(find_row_operation(instruction(words, 3), best_isa())) << words;
    for (const char* words : {"add.f16.f16", "mul.sat.f32x2", "fma.rn.relu.f32x2",
                              "add.ftz.f32.f16", "fma.rn.relu.f32", "fma.rn.oob.f32"})
        EXPECT_FALSE(find_row_operation(instruction(words, 3), best_isa())) << words;
}

// As on an H200: the NaN of elements outside a tensor, 0x7ff7, makes the result zero.
TEST(OutOfBoundsNan, MakesResultZero)
{
    const auto fused = [](const std::string& words, std::uint16_t a, std::uint16_t b,
                          std::uint16_t c) { return result_of<std::uint16_t>(words, a, b, c); };
    for (const std::string type : {"f16", "bf16"}) {
        const std::uint16_t one = type == "f16" ? 0x3c00 : 0x3f80;
        const std::uint16_t minus_half = type == "f16" ? 0xb800 : 0xbf00;
        const std::string words = "fma.rn.oob." + type;
        for (const std::uint16_t outside : {0x7ff7, 0xfff7}) {
            EXPECT_EQ(fused(words, outside, one, minus_half), 0) << type;
            EXPECT_EQ(fused(words, one, outside, minus_half), 0) << type;
            EXPECT_EQ(fused(words, one, one, outside), 0x7fff) << type;
        }
        EXPECT_EQ(fused(words, 0x7ff6, one, minus_half), 0x7fff) << type;
        EXPECT_EQ(fused("fma.rn.relu." + type, 0x7ff7, one, one), 0x7fff) << type;
    }
    EXPECT_EQ(result_of<std::uint32_t>("fma.rn.oob.f16x2", 0x7ff73c00u, 0x3c00bc00u, 0u), 0xbc00u);
    EXPECT_EQ(result_of<std::uint32_t>("fma.rn.oob.relu.f16x2", 0x7ff73c00u, 0x3c00bc00u, 0u), 0u);
}

} // namespace
} // namespace lanescope::simt
