// Products are fused with sums where ptxas fuses them: each case as ptxas 13.0 assembles it for
// sm_90 (FFMA, or FMUL and FADD). Squaring 1 + 2^-12 loses the last bit when rounded, so that one
// rounding and two give different results.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

struct Case {
    const char* name;
    const char* body; // computes %f11 and sometimes %f13 from %f1 × %f2 and other registers
    bool fused;       // true if %f11 is expected to be fused
};

void PrintTo(const Case& tried, std::ostream* stream)
{
    *stream << tried.name;
}

std::vector<float> run(const char* body, const std::vector<float>& from, const char* debug = "")
{
    Machine machine = Machine::from_text(fmt::format(R"(.version 8.0
.target sm_90{}
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{{
    .reg .f32 %f<40>;
    .reg .b64 %rd<8>;
    .reg .pred %p<4>;
    ld.param.u64 %rd1, [p];
    ld.param.u64 %rd2, [q];
    ld.global.f32 %f1, [%rd1];
    ld.global.f32 %f2, [%rd1+4];
    ld.global.f32 %f3, [%rd1+8];
    ld.global.f32 %f4, [%rd1+12];
    ld.global.f32 %f5, [%rd1+16];
    mov.f32 %f11, 0f00000000;
    mov.f32 %f13, 0f00000000;
    {}
    st.global.f32 [%rd2], %f11;
    st.global.f32 [%rd2+4], %f13;
    ret;
}}
)",
                                                     debug, body));
    auto in = machine.buffer(from);
    auto out = machine.buffer(std::vector<float>(2));
    machine.run("k", {{1, 1, 1}, {1, 1, 1}, 0}, *in, *out);
    return machine.values<float>(*out);
}

const float factor = 1 + std::ldexp(1.0f, -12);
const float rounded = factor * factor; // 1 + 2^-11
const float lost = std::ldexp(1.0f, -24);
const std::vector<float> values = {factor, factor, rounded, rounded, 1.0f};

class FusedProducts : public testing::TestWithParam<Case> {};

TEST_P(FusedProducts, RoundOnceLikePtxas)
{
    const float result = run(GetParam().body, values)[0];
    if (GetParam().fused)
        EXPECT_EQ(std::abs(result), lost);
    else
        EXPECT_EQ(result, 0.0f);
}

INSTANTIATE_TEST_SUITE_P(
    Ptxas, FusedProducts,
    testing::Values(
        Case{"taken away", "mul.f32 %f10, %f1, %f2; sub.f32 %f11, %f3, %f10;", true},
        Case{"less", "mul.f32 %f10, %f1, %f2; sub.f32 %f11, %f10, %f3;", true},
        Case{"added", "neg.f32 %f6, %f3; mul.f32 %f10, %f1, %f2; add.f32 %f11, %f6, %f10;", true},
        Case{"flushed",
             "mul.ftz.f32 %f10, %f1, %f2; sub.ftz.f32 %f11, %f3, %f10; abs.f32 %f11, %f11;", true},
        Case{"flushed in one", "mul.ftz.f32 %f10, %f1, %f2; sub.f32 %f11, %f3, %f10;", false},
        Case{"product rounded", "mul.rn.f32 %f10, %f1, %f2; sub.f32 %f11, %f3, %f10;", false},
        Case{"sum rounded", "mul.f32 %f10, %f1, %f2; sub.rn.f32 %f11, %f3, %f10;", false},
        Case{"two sums",
             "mul.f32 %f10, %f1, %f2; sub.f32 %f11, %f3, %f10; sub.f32 %f13, %f4, %f10;", true},
        Case{"another use",
             "mul.f32 %f10, %f1, %f2; sub.f32 %f11, %f3, %f10; mul.f32 %f13, %f10, %f4;", false},
        Case{"stored too",
             "mul.f32 %f10, %f1, %f2; sub.f32 %f11, %f3, %f10; st.global.f32 [%rd2+4], %f10;",
             false},
        Case{"addend of a fma",
             "mul.f32 %f10, %f1, %f2; sub.f32 %f11, %f3, %f10; fma.rn.f32 %f13, %f4, %f5, %f10;",
             false},
        Case{"across blocks",
             "mul.f32 %f10, %f1, %f2; setp.gt.f32 %p1, %f4, %f5; @%p1 bra L;\n"
             "mov.f32 %f13, %f5;\nL:\nsub.f32 %f11, %f3, %f10;",
             false},
        Case{"across a barrier", "mul.f32 %f10, %f1, %f2; bar.sync 0; sub.f32 %f11, %f3, %f10;",
             true},
        Case{"sum under a guard",
             "mul.f32 %f10, %f1, %f2; setp.gt.f32 %p1, %f4, %f5; @%p1 sub.f32 %f11, %f3, %f10;",
             true},
        Case{"product under a guard",
             "mov.f32 %f10, %f3; setp.gt.f32 %p1, %f4, %f5; @%p1 mul.f32 %f10, %f1, %f2; "
             "sub.f32 %f11, %f3, %f10;",
             false},
        Case{"with itself", "mul.f32 %f10, %f1, %f2; sub.f32 %f11, %f10, %f10;", false}),
    [](const testing::TestParamInfo<Case>& given) {
        std::string name = given.param.name;
        std::ranges::replace(name, ' ', '_');
        return name;
    });

// If either of two products could be fused, the one with fewer uses is; if equal, the first one.
TEST(FusedProduct, FusesOneOfTwoProducts)
{
    const std::vector<float> both = {factor, factor, 1.0f, rounded, 0.0f};
    const char* const first = "mul.f32 %f10, %f1, %f2; mul.f32 %f12, %f3, %f4; "
                              "sub.f32 %f11, %f10, %f12;";
    EXPECT_EQ(run(first, both)[0], lost);
    const char* const swapped = "mul.f32 %f10, %f1, %f2; mul.f32 %f12, %f3, %f4; "
                                "sub.f32 %f11, %f12, %f10;";
    EXPECT_EQ(run(swapped, both)[0], 0.0f);
    const char* const fewer = "mul.f32 %f10, %f1, %f2; mul.f32 %f12, %f3, %f4; "
                              "sub.f32 %f11, %f10, %f12; add.f32 %f13, %f5, %f10;";
    EXPECT_EQ(run(fewer, both), (std::vector<float>{0.0f, rounded}));
}

// div.full and div.approx end with a product, numerator times reciprocal, which is fused like any
// other; quotients that are rounded correctly (div.rn) are not.
TEST(FusedProduct, AppliesToApproximateQuotients)
{
    const std::vector<float> from = {factor, 3.0f, factor / 3.0f, 0.5f, 7.0f};
    const std::string expected = "rcp.approx.f32 %f6, %f2; neg.f32 %f7, %f3;\n"
                                 "fma.rn.f32 %f13, %f6, %f1, %f7;\n";
    const auto differs = [](const std::vector<float>& results) {
        return std::bit_cast<std::uint32_t>(results[0]) != std::bit_cast<std::uint32_t>(results[1]);
    };
    for (const std::string kind : {"full", "approx", "full.ftz", "approx.ftz"}) {
        const std::string flush = kind.ends_with("ftz") ? ".ftz" : "";
        const std::string quotient = "div." + kind + ".f32 %f10, %f1, %f2; ";
        EXPECT_FALSE(differs(
            run((expected + quotient + "sub" + flush + ".f32 %f11, %f10, %f3;").c_str(), from)))
            << kind;
        EXPECT_TRUE(differs(
            run((expected + quotient + "sub.rn" + flush + ".f32 %f11, %f10, %f3;").c_str(), from)))
            << kind;
        EXPECT_FALSE(differs(run(
            (expected + "neg.f32 %f13, %f13;" + quotient + "sub" + flush + ".f32 %f11, %f3, %f10;")
                .c_str(),
            from)))
            << kind;
    }
    EXPECT_TRUE(differs(run(
        (expected + "div.full.ftz.f32 %f10, %f1, %f2; sub.f32 %f11, %f10, %f3;").c_str(), from)));
    // Numerators and denominators that the division scales.
    const std::vector<float> large = {0x1p127f, 0x1.8p126f, 1.25f, 0, 0};
    EXPECT_NEAR(run("div.full.f32 %f10, %f1, %f2; add.f32 %f11, %f10, %f3;", large)[0],
                4.0 / 3 + 1.25, 1e-6);
    EXPECT_EQ(run("div.full.f32 %f10, %f1, %f2; add.sat.f32 %f11, %f10, %f3;", large)[0], 1.0f);
}

TEST(FusedProduct, AppliesToPairsOfSingles)
{
    const auto got = run("mov.b64 %rd3, {%f1, %f1}; mov.b64 %rd4, {%f3, %f3};\n"
                         "mul.f32x2 %rd5, %rd3, %rd3; sub.f32x2 %rd6, %rd4, %rd5;\n"
                         "mov.b64 {%f11, %f13}, %rd6;",
                         values);
    EXPECT_EQ(got, (std::vector<float>{-lost, -lost}));
    const auto separate = run("mov.b64 %rd3, {%f1, %f1}; mov.b64 %rd4, {%f3, %f3};\n"
                              "mul.rn.f32x2 %rd5, %rd3, %rd3; sub.f32x2 %rd6, %rd4, %rd5;\n"
                              "mov.b64 {%f11, %f13}, %rd6;",
                              values);
    EXPECT_EQ(separate, (std::vector<float>{0, 0}));
}

TEST(FusedProduct, AppliesToHalves)
{
    // (1 + 2^-10)² rounded to f16 loses 2^-20.
    const char* const body = "{ .reg .b16 %h<6>; mov.b16 %h1, 0x3c01; mov.b16 %h3, 0x3c02; "
                             "mul.f16 %h4, %h1, %h1; sub.f16 %h5, %h3, %h4; "
                             "cvt.f32.f16 %f11, %h5; }";
    EXPECT_EQ(run(body, values)[0], -std::ldexp(1.0f, -20));
}

TEST(FusedProduct, IsAbsentInDebugCode)
{
    const char* const body = "mul.f32 %f10, %f1, %f2; sub.f32 %f11, %f3, %f10;";
    EXPECT_EQ(run(body, values, ", debug")[0], 0.0f);
}

} // namespace
} // namespace lanescope::simt
