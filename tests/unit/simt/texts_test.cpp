// Semantics covered by short PTX texts: mixed carries, call parameters, initial values, wide
// accesses, printf.
#include <gtest/gtest.h>

#include <gmock/gmock.h>

#include <fmt/format.h>

#include "compute/error.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

// A kernel `k(out)` that declares registers of all kinds, then has `body`. `module` precedes it.
std::string text_of(std::string_view body, std::string_view module = {})
{
    return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
{}
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p<4>;
    .reg .b16 %h<8>;
    .reg .b32 %r<16>;
    .reg .f32 %f<16>;
    .reg .b64 %rd<16>;
    ld.param.u64 %rd1, [out];
    {}
    ret;
}}
)",
                       module, body);
}

// First `count` words stored by one thread of the kernel.
std::vector<std::uint32_t> words_of(const std::string& text, std::size_t count,
                                    std::string* printed = nullptr)
{
    Machine machine = Machine::from_text(text);
    if (printed != nullptr)
        machine.device().set_printer([=](std::string_view more) { *printed += more; });
    auto out = machine.buffer(std::vector<std::uint32_t>(count, 0xdeadbeef));
    machine.run("k", {{1, 1, 1}, {1, 1, 1}, 0}, *out);
    return machine.values<std::uint32_t>(*out);
}

std::string refusal_of(const std::string& text)
{
    try {
        words_of(text, 8);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

using Words = std::vector<std::uint32_t>;

// Recorded on an H100: after a subtraction, a carry of 1 means that nothing was borrowed.
TEST(PtxSemantics, SubtractionCarryMeansNoBorrow)
{
    const auto carried = [](std::string_view body) {
        return words_of(text_of(fmt::format("{} st.global.u32 [%rd1], %r2;", body)), 1)[0];
    };
    EXPECT_EQ(carried("sub.cc.u32 %r1, 1, 2; addc.u32 %r2, 0, 0;"), 0u);
    EXPECT_EQ(carried("sub.cc.u32 %r1, 2, 1; addc.u32 %r2, 0, 0;"), 1u);
    EXPECT_EQ(carried("add.cc.u32 %r1, 0xffffffff, 1; subc.u32 %r2, 10, 0;"), 10u);
    EXPECT_EQ(carried("add.cc.u32 %r1, 1, 1; subc.u32 %r2, 10, 0;"), 9u);
    EXPECT_EQ(carried("sub.cc.u32 %r1, 1, 2; subc.u32 %r2, 10, 0;"), 9u);
    EXPECT_EQ(carried("sub.cc.u32 %r1, 1, 2; madc.lo.u32 %r2, 3, 4, 5;"), 17u);
}

constexpr std::string_view identity = R"(
.func (.param .b32 result) same(.param .b32 value)
{
    .reg .b32 %r<2>;
    ld.param.b32 %r1, [value];
    st.param.b32 [result], %r1;
    ret;
}
)";

std::string call_with(std::string_view store)
{
    return text_of(fmt::format("mov.u32 %r1, 7;\n"
                               "{{ .param .b32 q; .param .b32 back; {} "
                               "call (back), same, (q); ld.param.b32 %r2, [back]; }}\n"
                               "st.global.u32 [%rd1], %r2;",
                               store),
                   identity);
}

TEST(PtxSemantics, StoresPastCallParametersAreRefused)
{
    EXPECT_EQ(words_of(call_with("st.param.b32 [q], %r1;"), 1), Words{7});
    for (const char* store : {"st.param.b32 [q+40000], %r1;", "st.param.b32 [q+2], %r1;",
                              "st.param.b32 [q-4], %r1;", "st.param.v2.b32 [q], {%r1, %r1};"})
        EXPECT_THAT(refusal_of(call_with(store)), testing::HasSubstr("it extends past q")) << store;
}

TEST(PtxSemantics, InitialValuesMayBeAddresses)
{
    const std::string read = "mov.u64 %rd2, table; ld.global.u64 %rd3, [%rd2+8];"
                             "ld.global.u32 %r1, [%rd3]; st.global.u32 [%rd1], %r1;"
                             "ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd1+4], %r2;"
                             "ld.global.u32 %r3, [%rd2+16]; st.global.u32 [%rd1+8], %r3;";
    const std::string counter = ".global .u32 counter = 77;\n";
    EXPECT_EQ(words_of(text_of(read, counter + ".global .u64 table[3] = {3, counter, 4};"), 3),
              (Words{77, 3, 4}));
    // The address is given byte by byte, which is how nvcc writes structs.
    std::string bytes = counter + ".global .align 8 .b8 table[24] = {3, 0, 0, 0, 0, 0, 0, 0";
    for (int i = 0; i < 8; ++i)
        bytes += fmt::format(", {:#X}(counter)", std::uint64_t{0xff} << 8 * i);
    EXPECT_EQ(words_of(text_of(read, bytes + ", 4};"), 3), (Words{77, 3, 4}));
}

TEST(PtxSemantics, LaneAccessesUpTo32Bytes)
{
    const std::string eight = "mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r8, 8;"
                              "st.global.v8.b32 [%rd1], {%r1, %r2, %r1, %r2, %r1, %r2, %r1, %r8};"
                              "ld.global.v4.b64 {%rd2, %rd3, %rd4, %rd5}, [%rd1];"
                              "add.u64 %rd5, %rd5, 1; st.global.b64 [%rd1+24], %rd5;";
    EXPECT_EQ(words_of(text_of(eight), 8), (Words{1, 2, 1, 2, 1, 2, 2, 8}));
    EXPECT_THAT(refusal_of(text_of("ld.global.v8.b64 {%rd2, %rd3, %rd4, %rd5, %rd6, %rd7, %rd8, "
                                   "%rd9}, [%rd1];")),
                testing::HasSubstr("at most 32 bytes"));
}

TEST(PtxSemantics, RefusalOf32BitAddressesSuggestsFix)
{
    EXPECT_THAT(refusal_of(".version 8.0\n.target sm_90\n.address_size 32\n"),
                testing::HasSubstr("compile them for 64 bits"));
}

// vprintf's buffer: width, number, precision, double, 16-bit number.
TEST(PtxSemantics, PrintfTakesWidthFromArguments)
{
    std::string bytes;
    for (const char c : std::string("[%*d] [%.*f] [%hd] [%hhu]\n"))
        bytes += fmt::format("{}, ", int{c});
    const std::string module =
        fmt::format(".extern .func (.param .b32 status) vprintf(.param .b64 format, .param .b64 "
                    "arguments);\n.global .align 1 .b8 format[] = {{{}0}};\n",
                    bytes);
    const std::string body = R"(
    .local .align 8 .b8 space[48];
    mov.u64 %rd2, space;
    mov.u32 %r1, 5;         st.local.u32 [%rd2], %r1;
    mov.u32 %r1, 42;        st.local.u32 [%rd2+4], %r1;
    mov.u32 %r1, 2;         st.local.u32 [%rd2+8], %r1;
    mov.u64 %rd3, 0x400921fb54442d18; st.local.u64 [%rd2+16], %rd3;
    mov.u32 %r1, 0x1fffe;   st.local.u32 [%rd2+24], %r1;
    mov.u32 %r1, 0x1ff;     st.local.u32 [%rd2+28], %r1;
    cvta.local.u64 %rd4, %rd2;
    mov.u64 %rd5, format;
    cvta.global.u64 %rd5, %rd5;
    { .param .b64 a; .param .b64 b; .param .b32 n;
      st.param.b64 [a], %rd5; st.param.b64 [b], %rd4;
      call (n), vprintf, (a, b);
      ld.param.b32 %r2, [n]; }
    st.global.u32 [%rd1], %r2;)";
    std::string printed;
    EXPECT_EQ(words_of(text_of(body, module), 1, &printed), Words{6});
    EXPECT_EQ(printed, "[   42] [3.14] [-2] [255]\n");
}

// The sum of 16 products of almost 4 and a 1 needs more than 32 bits at their common exponent.
TEST(PtxSemantics, SumsOfLargeProductsDoNotWrap)
{
    const std::string body = "mov.b32 %r1, 0x3fff3fff; mov.f32 %f1, 0f3F800000;"
                             "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f2, %f3, %f4, "
                             "%f5}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f1, %f1, %f1, %f1};"
                             "mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, "
                             "%rd2; st.global.f32 [%rd1], %f5;";
    Machine machine = Machine::from_text(text_of(body));
    auto out = machine.buffer(std::vector<float>(32));
    machine.run("k", {}, *out);
    EXPECT_EQ(machine.values<float>(*out), std::vector<float>(32, 64.5009765625f));
}

// Rows have 8 bytes: clamping cannot move a 16-byte access inside.
TEST(PtxSemantics, SurfaceAccessesWiderThanRowAreDropped)
{
    Machine machine = Machine::from_text(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 surface)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [surface];
    mov.u32 %r5, 0;
    suld.b.1d.v4.b32.clamp {%r1, %r2, %r3, %r4}, [%rd2, {%r5}];
    st.global.v4.b32 [%rd1], {%r1, %r2, %r3, %r4};
    mov.u32 %r1, 9;
    sust.b.1d.v4.b32.clamp [%rd2, {%r5}], {%r1, %r1, %r1, %r1};
    ret;
}
)");
    auto image = machine.device().allocate_image(2, 0, 0, device::Format::r32f);
    const std::vector<float> texels(2, 3.0f);
    machine.device().upload(*image, std::as_bytes(std::span<const float>(texels)));
    auto out = machine.buffer(Words(4, 5));
    machine.run("k", {{1, 1, 1}, {1, 1, 1}, 0}, *out, image->surface());
    EXPECT_EQ(machine.values<std::uint32_t>(*out), Words(4, 0));
    std::vector<float> after(2);
    machine.device().download(std::as_writable_bytes(std::span(after)), *image);
    EXPECT_EQ(after, texels);
}

// Expected values follow the operators' definitions in the PTX manual.
TEST(PtxSemantics, ConstantExpressions)
{
    const std::string text =
        text_of(R"(
    ld.global.u32 %r1, [numbers];      st.global.u32 [%rd1], %r1;
    ld.global.u32 %r1, [numbers+4];    st.global.u32 [%rd1+4*1], %r1;
    ld.global.u32 %r1, [numbers+2*4];  st.global.u32 [%rd1+8], %r1;
    ld.global.u32 %r1, [numbers+4+8];  st.global.u32 [%rd1+16-4], %r1;
    mov.u32 %r1, (1+2)*3 << 4;         st.global.u32 [%rd1+16], %r1;
    mov.s32 %r1, -7/2;                 st.global.u32 [%rd1+20], %r1;
    mov.u32 %r1, 5 > 3 && 2 == 1 ? 10 : 0x10 | 7 & 3; st.global.u32 [%rd1+24], %r1;
    mov.u64 %rd2, numbers + 1;
    ld.global.u64 %rd3, [place];
    sub.u64 %rd2, %rd3, %rd2;          st.global.u32 [%rd1+28], %rd2;)",
                ".global .u32 numbers[2*2] = { 3 + 4, (1 << 5) | 2, ~0x10 + 1, "
                "-(5*3) };\n.global .u64 place = numbers + 9;\n");
    EXPECT_THAT(words_of(text, 8),
                testing::ElementsAre(7u, 34u, ~0x10u + 1, -15u, 144u, -3u, 19u, 8u));
    EXPECT_THAT(refusal_of(text_of("mov.u32 %r1, 4/(2-2);")),
                testing::HasSubstr("divides by zero"));
    EXPECT_THAT(refusal_of(text_of("mov.u32 %r1, " + std::string(100, '(') + "1;")),
                testing::HasSubstr("nested too deep"));
}

TEST(PtxSemantics, FunctionsWithRegisterParameters)
{
    const std::string text = text_of(
        R"(
    mov.u32 %r1, 40;  mov.f32 %f1, 0f40000000;  setp.eq.u32 %p1, %r1, 40;
    call (%r2, %p2), mix, (%r1, 2, %f1, !%p1);  st.global.u32 [%rd1], %r2;
    selp.u32 %r3, 1, 0, %p2;  st.global.u32 [%rd1+4], %r3;
    mov.u64 %rd2, mix;
    call (%r2, %p2), %rd2, (%r2, %r1, 1.5, %p1), way;  st.global.u32 [%rd1+8], %r2;
    selp.u32 %r3, 1, 0, %p2;  st.global.u32 [%rd1+12], %r3;
    way: .callprototype (.reg .u32 _, .reg .pred _) _ (.reg .u32 _, .reg .u32 _, .reg .f32 _, .reg .pred _);)",
        R"(.func (.reg .u32 sum, .reg .pred other) mix(.reg .u32 a, .reg .u32 b, .reg .f32 c, .reg .pred p)
{
    .reg .u32 t;
    add.u32 sum, a, b;
    cvt.rzi.u32.f32 t, c;
    add.u32 sum, sum, t;
    not.pred other, p;
    ret;
})");
    EXPECT_THAT(words_of(text, 4), testing::ElementsAre(44u, 1u, 85u, 0u));
}

TEST(PtxSemantics, RecursionInRegisters)
{
    const std::string text = text_of("call (%r2), sum, (5); st.global.u32 [%rd1], %r2;",
                                     R"(.func (.reg .u32 total) sum(.reg .u32 n)
{
    .reg .u32 less;
    .reg .pred last;
    setp.eq.u32 last, n, 0;
    mov.u32 total, 0;
    @last ret;
    sub.u32 less, n, 1;
    call (total), sum, (less);
    add.u32 total, total, n;
    ret;
})");
    EXPECT_THAT(words_of(text, 1), testing::ElementsAre(15u));
}

TEST(PtxSemantics, VectorRegistersMoveAsWhole)
{
    const std::string text = text_of(R"(
    .reg .v4 .u32 v, w;  .reg .v2 .b64 d;
    mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3;
    mov.v4.u32 v, {%r1, %r2, %r3, %r3};
    mov.v4.u32 w, v;
    mov.v2.u32 {%r1, %r2}, {%r2, %r1};
    mov.u32 w.x, %r1;
    st.global.v4.u32 [%rd1], w;
    mov.v2.b64 d, {%rd1, %rd1};
    sub.u64 d.y, d.y, d.x;
    st.global.u32 [%rd1+16], %r2;  st.global.u64 [%rd1+24], d.y;)");
    EXPECT_THAT(words_of(text, 8), testing::ElementsAre(2u, 2u, 3u, 3u, 1u, 0xdeadbeefu, 0u, 0u));
}

TEST(PtxSemantics, FunctionVariablesKeepValue)
{
    const std::string text = text_of(
        R"(
    .global .u32 count = 5;
    .const .u32 more[2] = { 1, 2 };
    call next, ();
    ld.global.u32 %r1, [count];  st.global.u32 [%rd1], %r1;
    ld.const.u32 %r1, [more+4];  st.global.u32 [%rd1+4], %r1;
    { .global .u32 count = 6;  ld.global.u32 %r1, [count];  st.global.u32 [%rd1+8], %r1; })",
        ".func next() { .global .u32 count; .reg .u32 r; mov.u32 r, 9; st.global.u32 [count], r; "
        "ret; }");
    EXPECT_THAT(words_of(text, 3), testing::ElementsAre(5u, 2u, 6u));
}

// A part selected from a source is signed or unsigned as that source's type says.
TEST(PtxSemantics, VideoInstructionsOfMixedTypes)
{
    const std::string text = text_of(R"(
    mov.u32 %r1, 0xffff0001;  mov.u32 %r2, 0xfffe0003;
    vmax2.u32.u32.s32 %r3, %r1, %r2, 0;           st.global.u32 [%rd1], %r3;
    vmin2.s32.s32.u32 %r3, %r1, %r2, 0;           st.global.u32 [%rd1+4], %r3;
    vmin2.s32.s32.u32.add %r3, %r1, %r2, 10;      st.global.u32 [%rd1+8], %r3;
    vabsdiff2.u32.u32.s32.add %r3, %r1, %r2, 0;   st.global.u32 [%rd1+12], %r3;
    mov.u32 %r1, 0x80ff017f;  mov.u32 %r2, 0x7f01fe80;
    vmax4.u32.s32.u32 %r3, %r1, %r2, 0;           st.global.u32 [%rd1+16], %r3;
    vabsdiff4.u32.s32.s32 %r3, %r1, %r2, 0;       st.global.u32 [%rd1+20], %r3;)");
    EXPECT_THAT(words_of(text, 6), testing::ElementsAre(0xffff0003u, 0xffff0001u, 10u,
                                                        65535u + 2 + 2, 0x7f01fe80u, 0xff0203ffu));
}

// Worked out by hand from the manual's pseudocode, except for two limits where GPUs deviate.
TEST(PtxSemantics, VideoInstructionsSelectPartsOfRegisters)
{
    const std::vector<std::pair<std::string, std::uint32_t>> cases{
        {"vadd.u32.u32.u32.sat %r3, %r1.b3, %r2.b0", 256},
        {"vadd.s32.s32.s32 %r3, %r1.b3, %r2.h1", 32385},
        {"vsub.u32.u32.u32.sat %r3, %r1.b0, %r2.b0", 0},
        {"vadd.s32.s32.s32.sat %r3.b1, %r1.b3, %r1.b3, %r2", 0x7f017f80},
        {"vabsdiff.u32.s32.s32.add %r3, %r1.b3, %r2.b0, 10", 10},
        {"vmin.s32.s32.s32.max %r3, %r1.h0, %r2.h0, -5", 0xfffffffb},
        {"vmax.s32.s32.s32 %r3, %r1.h0, %r2.h0", 383},
        {"vshr.s32.s32.u32.clamp.add %r3, %r1, %r2.b0, 1", 0},
        {"vshl.u32.u32.u32.wrap %r3, %r1.b0, 33", 0xfe},
        {"vshl.u32.u32.u32.sat.clamp %r3, %r1.b0, 30", 0},
        {"vmad.s32.s32.s32.shr7 %r3, %r1.b3, -%r1.b0, 1000", 134},
        {"vmad.u32.u32.u32.po %r3, %r1.b0, %r1.b0, 1", 16131},
        {"vmad.u32.u32.u32.sat %r3, %r1, %r1, %r2", 0xffffffff},
        {"vset.s32.u32.lt %r3, %r1.b3, %r2.b0", 1},
        {"vset.u32.u32.ge.add %r3, %r1.b3, %r1.b3, 5", 6},
        {"vsub4.u32.u32.u32 %r3, %r1, %r2, %r4", 0x01fe03ff},
        {"vadd4.s32.s32.s32.sat %r3, %r1, %r2, %r4", 0xff00ffff},
        {"vavrg2.s32.s32.s32 %r3, %r1, %r2, %r4", 0x0000ffff},
        {"vset4.u32.u32.gt %r3, %r1, %r2, %r4", 0x01010000},
        {"vadd2.u32.u32.u32 %r3.h1, %r1.h10, %r2.h32, %r5", 7},
        {"vadd4.u32.u32.u32.add %r3, %r1.b0000, %r2.b4444, %r6", 1021},
    };
    std::string body = "mov.u32 %r1, 0x80ff017f;  mov.u32 %r2, 0x7f01fe80;\n"
                       "mov.u32 %r4, 0;  mov.u32 %r5, 7;  mov.u32 %r6, 1;\n";
    for (std::size_t i = 0; i < cases.size(); ++i)
        body += cases[i].first + "; st.global.u32 [%rd1+" + std::to_string(4 * i) + "], %r3;\n";
    const auto words = words_of(text_of(body), static_cast<int>(cases.size()));
    for (std::size_t i = 0; i < cases.size(); ++i)
        EXPECT_EQ(words[i], cases[i].second) << cases[i].first;
}

// Results of ptxas's constant folding, confirmed on an H100: for lengths of 32 or more, for fields
// outside the word, and for NaN compared with itself. Register operands follow the manual.
TEST(PtxSemantics, ConstantOperandsAreFolded)
{
    const std::vector<std::pair<std::string, std::uint32_t>> cases{
        {"bfi.b32 %r3, %r1, %r2, 1, 8", 0x7f01fe80 | 0xfe},
        {"bfi.b32 %r3, %r1, %r2, 1, 32", 0x7f01fe80},
        {"bfi.b32 %r3, %r1, %r2, 1, 40", 0x7f01fe80 | 0xfe},
        {"bfi.b32 %r3, %r1, %r2, 1, 255", 0x01fe02fe},
        {"bfi.b32 %r3, %r1, %r2, 9, 40", 0x7f00fe80},
        {"bfi.b32 %r3, %r1, %r2, 8, 32", 0xff017f80},
        {"bfi.b32 %r3, %r1, %r2, 8, 40", 0xff017f80},
        {"bfi.b32 %r3, %r1, %r2, 16, 36", 0x017ffe80},
        {"bfi.b32 %r3, %r1, %r2, 24, 64", 0x7f01fe80},
        {"bfi.b32 %r3, %r1, 0x80000001, 1, 40", 0x01fe02ff},
        {"bfi.b32 %r3, %r1, %r2, 0, 40", 0x80ff017f},
        {"bfi.b32 %r3, %r1, %r2, 40, 8", 0x7f01fe80},
        {"mov.u32 %r7, 40; bfi.b32 %r3, %r1, %r2, 1, %r7", 0x01fe02fe},
        {"bfe.s32 %r3, %r2, 40, 8", 0xffffffff},
        {"bfe.s32 %r3, %r1, 32, 255", 0xffffffff},
        {"bfe.s32 %r3, %r1, 40, 0", 0},
        {"bfe.s32 %r3, %r1, 31, 32", 0xffffffff},
        {"bfe.u32 %r3, %r1, 40, 8", 0},
        {"mov.u32 %r7, 40; bfe.s32 %r3, %r2, %r7, 8", 0},
        {"mov.u32 %r7, 0xffc12345; min.f32 %r3, %r7, %r7", 0xffc12345},
        {"mov.u32 %r7, 0x7f812345; max.f32 %r3, %r7, %r7", 0x7f812345},
        {"mov.u32 %r7, 0xffc12345; mov.b32 %f1, %r7; mov.b32 %f2, %r7; min.f32 %r3, %f1, %f2",
         0xffc12345},
        {"mov.u32 %r7, 0xffc12345; mov.u32 %r8, 1; mov.u32 %r8, 2; mov.u32 %r8, 3; mov.u32 %r8, 4; "
         "mov.u32 %r8, 5; mov.u32 %r8, 6; mov.u32 %r8, 7; mov.u32 %r8, 8; mov.u32 %r8, 9; "
         "mov.u32 %r8, 10; mov.u32 %r8, 11; mov.u32 %r8, 12; mov.u32 %r8, 13; mov.u32 %r8, 14; "
         "mov.b32 %f1, %r7; mov.b32 %f2, %r7; max.f32 %r3, %f1, %f2",
         0xffc12345},
        {"mov.u32 %r7, 0xffc12345; mov.b32 %f1, %r7; add.u32 %r7, %r7, 1; mov.b32 %f2, %r7; "
         "min.f32 %r3, %f1, %f2",
         0x7fffffff},
        {"mov.u32 %r7, 0xffc12345; setp.eq.u32 %p1, %r7, 0; mov.b32 %f1, %r7; mov.b32 %f2, %f1; "
         "@%p1 mov.b32 %f2, %r1; max.f32 %r3, %f1, %f2",
         0x7fffffff},
        {"mov.u32 %r7, 0xffc12345; mov.b32 %f1, %r7; bra next; next: mov.b32 %f2, %r7; "
         "max.f32 %r3, %f1, %f2",
         0x7fffffff},
        {"mov.u32 %r7, 0xffc12345; min.ftz.f32 %r3, %r7, %r7", 0x7fffffff},
        {"mov.u32 %r7, 0xffc12345; max.NaN.f32 %r3, %r7, %r7", 0x7fffffff},
        {"mov.u32 %r7, 0xffc12345; min.f32 %r3, %r7, 0f7FC00000", 0x7fffffff},
    };
    std::string body = "mov.u32 %r1, 0x80ff017f;  mov.u32 %r2, 0x7f01fe80;\n";
    for (std::size_t i = 0; i < cases.size(); ++i)
        body += cases[i].first + "; st.global.u32 [%rd1+" + std::to_string(4 * i) + "], %r3;\n";
    const auto words = words_of(text_of(body), static_cast<int>(cases.size()));
    for (std::size_t i = 0; i < cases.size(); ++i)
        EXPECT_EQ(words[i], cases[i].second) << cases[i].first;
}

TEST(PtxSemantics, UnknownVideoInstructions)
{
    for (const char* wrong :
         {"vadd.u32.u32.u32 %r3.b1, %r1, %r2", "vadd.u32.u32.u32 %r3, %r1.b4, %r2",
          "vadd.u32.u32.u32 %r3, %r1, %r2, %r2", "vadd.u32.u32.u32 %r3, -%r1, %r2",
          "vadd4.u32.u32.u32.sat.add %r3, %r1, %r2, %r1", "vmad.s32.s32.s32 %r3, -%r1, %r2, -%r2",
          "vadd4.u32.u32.u32 %r3, %r1.b10, %r2, 0", "vadd4.u32.u32.u32 %r3, %r1.h10, %r2, 0",
          "add.u32 %r3, %r1.b1, %r2", "vadd.u32.u32.u32 %r3, %r1.q1, %r2"})
        EXPECT_THROW(words_of(text_of(std::string(wrong) + ";"), 1), Error) << wrong;
}

// An instruction counts once per warp, even if only some lanes are active or the lanes call
// different functions.
TEST(PtxSemantics, CallsAndPartialMasksCountOncePerWarp)
{
    const auto counts = [](const std::string& body) {
        Machine machine = Machine::from_text(
            text_of("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 8; and.b32 %r2, %r1, 3;\n" + body,
                    R"(.func f0() { ret; }
.func f1() { ret; }
.func f2() { ret; }
.func f3() { ret; }
.global .u64 table[4] = { f0, f1, f2, f3 };)"));
        auto out = machine.buffer(std::vector<std::uint32_t>(4));
        trace::Trace trace;
        machine.run_traced(&trace, "k", {}, *out);
        const trace::Totals totals = trace.totals();
        return std::array<std::uint64_t, 2>{totals.warp_instructions, totals.thread_instructions};
    };
    const auto [warp, thread] = counts("");
    const auto added = [&](const std::string& body) {
        const auto [warps, threads] = counts(body);
        return std::array<std::uint64_t, 2>{warps - warp, threads - thread};
    };
    using Counts = std::array<std::uint64_t, 2>;
    EXPECT_EQ(added("@%p1 bar.warp.sync 0xff;"), (Counts{1, 32}));
    EXPECT_EQ(added("@%p1 bar.arrive 1, 32;"), (Counts{1, 32}));
    EXPECT_EQ(added("@%p1 shfl.sync.idx.b32 %r3, %r1, 0, 0x1f, 0xff;"), (Counts{1, 32}));
    EXPECT_EQ(added("@%p1 call f0, ();"), (Counts{2, 32 + 8}));
    // Four instructions load the function's address; then one call, and one `ret` in each function.
    EXPECT_EQ(added("mul.wide.u32 %rd2, %r2, 8; mov.u64 %rd3, table; add.u64 %rd2, %rd2, %rd3; "
                    "ld.global.u64 %rd2, [%rd2]; call %rd2, (), way;\n"
                    "way: .callprototype _ ();"),
              (Counts{5 + 4, 6 * 32}));
}

} // namespace
} // namespace lanescope::simt
