// Operands that NVIDIA's compilers rarely write but ptxas accepts: predicates as values, elements
// of vector registers, sums as offsets; lop3 with a predicate, saturating SIMD video instructions,
// and vote and shfl as before PTX 6.4.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

std::string kernel(std::string_view body, const char* head = ".version 8.8\n.target sm_90")
{
    return fmt::format("{}\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n"
                       ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"
                       ".reg .f32 %f<9>; .reg .v4 .b32 %v; .reg .v2 .b64 %w; .reg .v4 .f32 %g;\n"
                       "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;\n"
                       "mad.wide.u32 %rd2, %r1, 16, %rd1;\n"
                       "{}\nret;\n}}\n",
                       head, body);
}

// The buffer after the body, which may use %rd1, its address, and %rd2, that of 16 bytes per
// thread.
Words run(std::string_view body, Words start, unsigned threads = 1)
{
    Machine machine = Machine::from_text(kernel(body));
    const auto out = machine.buffer(start);
    machine.run("k", {{1, 1, 1}, {threads, 1, 1}, 0}, *out);
    return machine.values<std::uint32_t>(*out);
}

std::string refusal(std::string_view body)
{
    Machine machine = Machine::from_text(kernel(body));
    try {
        machine.module().kernel("k");
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(Predicates, MoveAndCombine)
{
    const auto got = run("setp.eq.u32 %p1, %r1, 0; mov.pred %p2, %p1; mov.pred %p3, !%p1;\n"
                         "mov.pred %p4, 1; not.pred %p5, !%p1; and.pred %p6, !%p3, 1;\n"
                         "selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 1, 0, %p3;\n"
                         "selp.u32 %r4, 1, 0, %p4; selp.u32 %r5, 1, 0, %p5;\n"
                         "selp.u32 %r6, 1, 0, %p6; shl.b32 %r3, %r3, 1; shl.b32 %r4, %r4, 2;\n"
                         "shl.b32 %r5, %r5, 3; shl.b32 %r6, %r6, 4;\n"
                         "or.b32 %r2, %r2, %r3; or.b32 %r2, %r2, %r4; or.b32 %r2, %r2, %r5;\n"
                         "or.b32 %r2, %r2, %r6; st.global.u32 [%rd2], %r2;",
                         Words(8), 2);
    EXPECT_EQ(got[0], 0b11101u);
    EXPECT_EQ(got[4], 0b00110u);
}

TEST(VectorRegisters, ElementsAreOperands)
{
    EXPECT_THAT(run("ld.global.v4.b32 %v, [%rd1]; add.u32 %v.x, %v.y, %v.b;\n"
                    "mov.b32 %r2, %v.a; mov.b64 %rd3, {%v.x, %r2}; mov.b64 {%r3, %r4}, %rd3;\n"
                    "add.u32 %v.w, %r3, %r4; st.global.v4.b32 [%rd1], %v;",
                    {1, 2, 3, 4}),
                ElementsAre(5, 2, 3, 9));
    EXPECT_THAT(run("mov.v4.u32 %v, {1, 2, 3, %r1}; mov.v4.u32 {%r2, %r3, %r4, %r5}, %v;\n"
                    "mov.v4.b32 %v, {%r4, %r3, %r2, 9}; st.global.v4.u32 [%rd1], %v;",
                    Words(4)),
                ElementsAre(3, 2, 1, 9));
    EXPECT_THAT(run("ld.global.v2.b64 %w, [%rd1]; mov.v2.b64 %w, {%w.y, %w.x};\n"
                    "st.global.v2.b64 [%rd1], %w;",
                    {1, 2, 3, 4}),
                ElementsAre(3, 4, 1, 2));
    EXPECT_THAT(run("ld.global.v2.b16 {%h1, %h2}, [%rd1]; mov.v2.b16 {%h1, %h2}, {%h2, %h1};\n"
                    "st.global.v2.b16 [%rd1], {%h1, %h2};",
                    {0x00020001}),
                ElementsAre(0x00010002));
    EXPECT_THAT(run("mov.v4.u32 %v, %tid; mov.v4.u32 {%r2, %r3, %r4, %r5}, %ntid;\n"
                    "mov.u32 %v.w, %r2; st.global.v4.u32 [%rd2], %v;",
                    Words(8), 2),
                ElementsAre(0, 0, 0, 2, 1, 0, 0, 2));
    EXPECT_THAT(refusal("mov.u32 %r2, %tid;"), HasSubstr("'%tid' is not declared"));
    EXPECT_THAT(refusal("add.u32 %r2, %v.x, %w.z;"), HasSubstr("'%w' has no element"));
    EXPECT_THAT(refusal("mov.v2.u32 {%r2, %r3}, 5;"), HasSubstr("cannot run 'mov.v2.u32"));
}

TEST(Offsets, SumsAndSpaces)
{
    EXPECT_THAT(run("st.global.u32 [ %rd1 + 4 ], 1; st.global.u32 [%rd1 +8], 2;\n"
                    "st.global.u32 [%rd1+ 12], 3; add.u64 %rd3, %rd1, 32;\n"
                    "st.global.u32 [%rd3 + -16], 4; st.global.u32 [%rd1+4+16], 5;\n"
                    "st.global.u32 [ %rd1+(2*12) ], 6; st.global.u32 [%rd1+7*4], 7;\n"
                    "st.global.u32\t[ %rd1 ] , 8 ;",
                    Words(8)),
                ElementsAre(8, 1, 2, 3, 4, 5, 6, 7));
}

// As on an H200.
TEST(Lop3WithPredicate, CombinesResultAndPredicate)
{
    const std::string store = "selp.u32 %r7, 1, 0, %p2; st.global.v4.u32 [%rd1], {%r6, %r7, 0, 0};";
    const auto of = [&](const std::string& text, Words start) {
        const auto got = run("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1];\n"
                             "setp.ne.u32 %p1, %r5, 0; mov.u32 %r6, 77;\n" +
                                 text + store,
                             std::move(start));
        return Words{got[0], got[1]};
    };
    const std::string both = "lop3.and.b32 %r6|%p2, %r2, %r3, %r4, 0x96, %p1;\n";
    EXPECT_THAT(of(both, {12, 10, 1, 1}), ElementsAre(7, 1));
    EXPECT_THAT(of(both, {12, 10, 1, 0}), ElementsAre(7, 0));
    EXPECT_THAT(of(both, {12, 10, 6, 1}), ElementsAre(0, 0));
    const std::string either = "lop3.or.b32 %r6|%p2, %r2, %r3, %r4, 0x80, !%p1;\n";
    EXPECT_THAT(of(either, {12, 8, 15, 1}), ElementsAre(8, 1));
    EXPECT_THAT(of(either, {12, 3, 15, 1}), ElementsAre(0, 0));
    EXPECT_THAT(of(either, {12, 3, 15, 0}), ElementsAre(0, 1));
    EXPECT_THAT(of("lop3.and.b32 _|%p2, %r2, %r3, %r4, 0xfe, 1;\n", {0, 0, 1, 1}),
                ElementsAre(77, 1));
    // Not executed: both results keep their values.
    EXPECT_THAT(of("setp.eq.u32 %p2, %r5, %r5;\n"
                   "@!%p1 lop3.and.b32 %r6|%p2, %r2, %r3, %r4, 0, %p1;\n",
                   {0, 0, 1, 1}),
                ElementsAre(77, 1));
    EXPECT_THAT(refusal("lop3.and.b32 %r6, %r2, %r3, %r4, 0x96, %p1;"), HasSubstr("d|p"));
}

// As on an H200.
TEST(SimdVideo, SaturationAndParts)
{
    const auto of = [](const std::string& text, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        return run("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1];\n" + text +
                       " st.global.u32 [%rd1], %r6;",
                   {a, b, c, 0})[0];
    };
    EXPECT_EQ(of("vabsdiff2.s32.s32.s32.sat %r6, %r2, %r3, %r4;", 0x80000001, 0x7fff0003, 0),
              0x7fff0002u);
    EXPECT_EQ(of("vmin4.u32.s32.s32.sat %r6, %r2, %r3, %r4;", 0x80017f05, 0x01020304, 0),
              0x00010304u);
    EXPECT_EQ(of("vmax4.s32.u32.u32.sat %r6, %r2, %r3, %r4;", 0xff010203, 0x01020304, 0),
              0x7f020304u);
    EXPECT_EQ(of("vabsdiff2.u32.u32.u32 %r6.h0, %r2, %r3, %r4;", 9, 2, 0xabcdabcd), 0xabcd0007u);
    EXPECT_EQ(
        of("vmin4.s32.s32.s32 %r6.b20, %r2.b7531, %r3, %r4;", 0x01020304, 0x05060708, 0xaaaaaaaa),
        0xaa06aa03u);
    EXPECT_EQ(of("vabsdiff4.u32.u32.u32.add %r6.b21, %r2, %r3, %r4;", 0x01020304, 0x05060708, 1),
              9u);
    EXPECT_THAT(refusal("vabsdiff4.u32.u32.u32.sat.add %r6, %r2, %r3, %r4;"),
                HasSubstr("cannot be saturated"));
    EXPECT_THAT(refusal("vmin2.u32.u32.u32 %r6.b0, %r2, %r3, %r4;"), HasSubstr("wrong size"));
}

TEST(OldPtx, VoteAndShuffleOfActiveLanes)
{
    const std::string text = kernel("and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0;\n"
                                    "setp.lt.u32 %p2, %r1, 8; mov.u32 %r7, 0; mov.u32 %r8, 99;\n"
                                    "mov.u32 %r3, 0;\n"
                                    "@!%p1 bra done;\n"
                                    "vote.ballot.b32 %r7, %p2; vote.any.pred %p3, %p2;\n"
                                    "vote.all.pred %p4, !%p2; vote.uni.pred %p5, %p1;\n"
                                    "shfl.down.b32 %r8|%p6, %r1, 2, 31;\n"
                                    "selp.u32 %r3, 1, 0, %p3; selp.u32 %r4, 2, 0, %p4;\n"
                                    "selp.u32 %r5, 4, 0, %p5; or.b32 %r3, %r3, %r4;\n"
                                    "or.b32 %r3, %r3, %r5;\n"
                                    "done:\n"
                                    "st.global.v4.u32 [%rd2], {%r7, %r3, %r8, 0};",
                                    ".version 6.3\n.target sm_60");
    Machine machine = Machine::from_text(text);
    const auto out = machine.buffer(Words(128));
    machine.run("k", {{1, 1, 1}, {32, 1, 1}, 0}, *out);
    const auto got = machine.values<std::uint32_t>(*out);
    for (std::size_t lane = 0; lane < 32; lane += 2) {
        EXPECT_EQ(got[4 * lane], 0x55u);
        EXPECT_EQ(got[4 * lane + 1], 5u);
        EXPECT_EQ(got[4 * lane + 2], lane < 30 ? lane + 2 : lane);
        EXPECT_EQ(got[4 * lane + 4], 0u);
        EXPECT_EQ(got[4 * lane + 6], 99u);
    }
    EXPECT_THAT(refusal("vote.ballot.b32 %r7, %p1, %r2;"), HasSubstr("needs .sync"));
    EXPECT_THAT(refusal("vote.sync.ballot.b32 %r7, %p1;"), HasSubstr("needs a member mask"));
    EXPECT_THAT(refusal("shfl.sync.idx.b32 %r7, %r1, 0, 31;"), HasSubstr("needs a member mask"));
}

// Compared with the PTX manual; not run on a GPU (sm_100).
TEST(FloatRedux, MinimumAndMaximum)
{
    const auto of = [](const std::string& words, const Words& lanes) {
        Words start(128);
        for (std::size_t lane = 0; lane < 32; ++lane)
            start[4 * lane] = lanes[std::min(lane, lanes.size() - 1)];
        const auto got = run("ld.global.f32 %f1, [%rd2]; redux.sync." + words +
                                 ".f32 %f2, %f1, -1; st.global.f32 [%rd2], %f2;",
                             start, 32);
        Words results;
        for (std::size_t lane = 0; lane < 32; ++lane) results.push_back(got[4 * lane]);
        return results;
    };
    constexpr std::uint32_t one = 0x3f800000, minus_two = 0xc0000000, nan = 0x7fc00001;
    EXPECT_THAT(of("min", {nan, one, minus_two, nan}), Each(minus_two));
    EXPECT_THAT(of("max", {nan, one, minus_two, nan}), Each(one));
    EXPECT_THAT(of("max.abs", {one, minus_two, nan}), Each(0x40000000u));
    EXPECT_THAT(of("min.NaN", {one, minus_two, nan, one}), Each(0x7fffffffu));
    EXPECT_THAT(of("max", {nan}), Each(0x7fffffffu));
    EXPECT_THAT(of("max", {0x80000000, 0, 0x80000000}), Each(0u));
    EXPECT_THAT(of("min", {0, 0x80000000, 0}), Each(0x80000000u));
    EXPECT_THAT(refusal("redux.sync.add.f32 %f1, %f2, -1;"), HasSubstr("only min and max"));
    EXPECT_THAT(refusal("redux.sync.min.abs.s32 %r1, %r2, -1;"), HasSubstr("need f32"));
}

// Registers that are wider than the types of a conversion.
TEST(SmallFloats, ConvertInRegisters)
{
    EXPECT_THAT(run("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0fC0400000; { .reg .b8 %b;\n"
                    "cvt.rn.satfinite.e2m1x2.f32 %b, %f1, %f2; cvt.rn.f16x2.e2m1x2 %r2, %b;\n"
                    "cvt.u32.u8 %r3, %b; }\n"
                    "cvt.rn.satfinite.e2m3x2.f32 %h1, %f1, %f2; cvt.u32.u16 %r4, %h1;\n"
                    "cvt.rs.f16x2.f32 %r5, %f1, %f2, 0x1fff1fff;\n"
                    "st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r5};",
                    Words(4)),
                ElementsAre(0x3c00c200, 0x2d, 0x0834, 0x3c00c200));
    EXPECT_THAT(refusal("cvt.rs.satfinite.e4m3x4.f32 %r1, {%f1, %f1, %f1, %f1}, %r2;"),
                HasSubstr("random bits"));
    EXPECT_THAT(refusal("cvt.rs.f16x2.f32 %r1, %f1, %f1;"), HasSubstr("few operands"));
    EXPECT_THAT(refusal("cvt.rn.f16x2.f32 %r1, %f1;"), HasSubstr("few operands"));
    EXPECT_THAT(refusal("cvt.rn.f32.f64 %f1, %rd1, %rd2;"), HasSubstr("too many"));
}

} // namespace
} // namespace lanescope::simt
