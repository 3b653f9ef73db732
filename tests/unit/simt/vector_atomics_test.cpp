// Atomics on vectors and on 128 bits. Values are those of an H200.
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

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

std::string kernel(std::string_view body)
{
    return fmt::format(".version 8.3\n.target sm_90\n.address_size 64\n"
                       ".visible .entry k(.param .u64 p, .param .u64 q)\n{{\n"
                       ".reg .b16 %h<20>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<20>;\n"
                       ".reg .b128 %q<5>; .reg .v4 .f32 %v; .reg .pred %p<5>;\n"
                       ".shared .align 16 .b8 tile[64];\n"
                       "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; mov.u32 %r1, %tid.x;\n"
                       "{}\nret;\n}}\n",
                       body);
}

// The two buffers after `threads` threads have run the body.
std::pair<Words, Words> run(std::string_view body, const Words& first, const Words& second,
                            unsigned threads = 1)
{
    Machine machine = Machine::from_text(kernel(body));
    const auto p = machine.buffer(first);
    const auto q = machine.buffer(second);
    machine.run("k", {{1, 1, 1}, {threads, 1, 1}, 0}, *p, *q);
    return {machine.values<std::uint32_t>(*p), machine.values<std::uint32_t>(*q)};
}

TEST(VectorAtomics, AddFourSinglesAndReturnOldValues)
{
    // Subnormals are flushed; a NaN becomes the canonical one.
    const Words memory{0x3f800000, 0x00000001, 0x80800000, 0xffc12345};
    const Words addends{0x3f800000, 0x00000001, 0x00800001, 0x3f800000};
    const auto [sums, old] = run("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];\n"
                                 "atom.global.v4.f32.add %v, [%rd1], {%f1, %f2, %f3, %f4};\n"
                                 "st.global.v4.f32 [%rd2], %v;",
                                 memory, addends);
    EXPECT_THAT(sums, ElementsAre(0x40000000, 0, 0, 0x7fffffff));
    EXPECT_EQ(old, memory);
}

TEST(VectorAtomics, OldValuesMayReplaceOperands)
{
    const auto [sums, old] = run("ld.global.v2.f32 {%f1, %f2}, [%rd2];\n"
                                 "atom.global.add.v2.f32 {%f2, %f1}, [%rd1], {%f1, %f2};\n"
                                 "st.global.v2.f32 [%rd2], {%f1, %f2};",
                                 {0x3f800000, 0x40000000}, {0x40800000, 0x41000000});
    EXPECT_THAT(sums, ElementsAre(0x40a00000, 0x41200000)); // 1 + 4, 2 + 8
    EXPECT_THAT(old, ElementsAre(0x40000000, 0x3f800000));
}

TEST(VectorAtomics, HalvesInVectorsOfEight)
{
    const std::string eight = "{%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8}";
    const std::string load = "ld.global.v4.u16 {%h1, %h2, %h3, %h4}, [%rd2];\n"
                             "ld.global.v4.u16 {%h5, %h6, %h7, %h8}, [%rd2+8];\n";
    // 1, -0, NaN, 2; infinity, 0, 1, NaN
    const Words memory{0x80003c00, 0x40007e00, 0x00007c00, 0x7e003c00};
    // 2, 0, 3, 1; -infinity, -0, NaN, NaN
    const Words operands{0x00004000, 0x3c004200, 0x8000fc00, 0x7c017e00};
    EXPECT_THAT(
        run(load + "red.global.v8.f16.max.noftz [%rd1], " + eight + ";", memory, operands).first,
        ElementsAre(0x00004000, 0x40004200, 0x00007c00, 0x7fff3c00));
    EXPECT_THAT(
        run(load + "red.global.v8.f16.min.noftz [%rd1], " + eight + ";", memory, operands).first,
        ElementsAre(0x80003c00, 0x3c004200, 0x8000fc00, 0x7fff3c00));
    EXPECT_THAT(
        run(load + "red.global.v8.f16.add.noftz [%rd1], " + eight + ";", memory, operands).first,
        ElementsAre(0x00004200, 0x42007fff, 0x00007fff, 0x7fff7fff));
}

TEST(VectorAtomics, PairsAndLanesInOrder)
{
    // Each of 32 threads adds 1 to all four bf16 of a vector; lane 3 returns the value 3.
    const auto [sums, old] = run("mov.b32 %r2, 0x3f803f80; mov.b32 %r3, %r2;\n"
                                 "atom.global.v2.bf16x2.add.noftz {%r4, _}, [%rd1], {%r2, %r3};\n"
                                 "mad.wide.u32 %rd3, %r1, 4, %rd2; st.global.u32 [%rd3], %r4;",
                                 {0, 0}, Words(32), 32);
    EXPECT_THAT(sums, ElementsAre(0x42004200, 0x42004200));
    EXPECT_EQ(old[3], 0x40404040u);
}

TEST(WideAtomics, ExchangeAndCompare)
{
    const std::string load = "ld.global.b128 %q1, [%rd2]; ld.global.b128 %q2, [%rd2+16];\n";
    const Words memory{1, 2, 3, 4};
    const auto swapped = run(load + "atom.global.exch.b128 %q3, [%rd1], %q1;\n"
                                    "st.global.b128 [%rd2], %q3;",
                             memory, {5, 6, 7, 8, 0, 0, 0, 0});
    EXPECT_THAT(swapped.first, ElementsAre(5, 6, 7, 8));
    EXPECT_THAT(swapped.second, ElementsAre(1, 2, 3, 4, 0, 0, 0, 0));
    const std::string compare = load + "atom.cas.b128 %q3, [%rd1], %q1, %q2;\n"
                                       "st.global.b128 [%rd2], %q3;";
    EXPECT_THAT(run(compare, memory, {1, 2, 3, 4, 9, 10, 11, 12}).first,
                ElementsAre(9, 10, 11, 12));
    EXPECT_THAT(run(compare, memory, {1, 2, 3, 5, 9, 10, 11, 12}).first, ElementsAre(1, 2, 3, 4));
    const auto shared = run(load + "st.shared.b128 [tile], %q1;\n"
                                   "atom.shared.exch.b128 %q3, [tile], %q2;\n"
                                   "ld.shared.b128 %q4, [tile]; st.global.b128 [%rd1], %q4;",
                            memory, {1, 2, 3, 4, 9, 10, 11, 12});
    EXPECT_THAT(shared.first, ElementsAre(9, 10, 11, 12));
}

TEST(VectorAtomics, MistakesFaultAtTheirLine)
{
    struct Case {
        const char* body;
        const char* kind;
        const char* words;
    };
    const Case cases[] = {
        {"red.global.v4.f32.add [%rd1+4], {%f1, %f2, %f3, %f4};", "misaligned", "16"},
        {"atom.global.v2.f32.add {%f1, %f2}, [%rd1+64], {%f1, %f2};", "out_of_bounds", "8 bytes"},
        {"red.global.v2.f32.add [%rd1-8], {%f1, %f2};", "out_of_bounds", "8 bytes"},
        {"cvta.shared.u64 %rd3, 0; red.v2.f32.add [%rd3], {%f1, %f2};", "bad_address",
         "vector in its shared memory"},
        {"atom.global.exch.b128 %q1, [%rd1+8], %q2;", "misaligned", "16"},
        {"atom.global.exch.b128 %q1, [%rd1+64], %q2;", "out_of_bounds", "16 bytes"},
    };
    for (const Case& one : cases) {
        Machine machine = Machine::from_text(
            kernel(std::string("mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1;\n"
                               "mov.f32 %f4, %f1; mov.b64 %rd4, 0; mov.b128 %q2, {%rd4, %rd4};\n") +
                   one.body));
        const auto p = machine.buffer(Words(16));
        const auto fault = machine.fault("k", {{1, 1, 1}, {1, 1, 1}, 0}, *p, *p);
        EXPECT_EQ(fault.kind, one.kind) << one.body;
        EXPECT_THAT(fault.message, HasSubstr(one.words)) << one.body;
        EXPECT_THAT(fault.message, HasSubstr("PTX line 12")) << one.body;
    }
}

TEST(VectorAtomics, FormsThatPtxLacksAreRefused)
{
    for (const char* body : {"red.global.v8.f32.add [%rd1], {%f1, %f2, %f3, %f4, %f1, %f2, %f3, "
                             "%f4};",
                             "red.shared.v2.f32.add [tile], {%f1, %f2};",
                             "red.global.v2.f32.add [%rd1], {%f1, %f2, %f3};",
                             "red.global.v2.u32.add [%rd1], {%r1, %r2};",
                             "atom.global.v2.f32.add %f1, [%rd1], {%f1, %f2};",
                             "atom.global.min.noftz.f16 %h1, [%rd1], %h2;",
                             "atom.global.add.b128 %q1, [%rd1], %q2;"}) {
        Machine machine = Machine::from_text(kernel(body));
        EXPECT_THROW(machine.module().kernel("k"), device::LaunchError) << body;
    }
}

} // namespace
} // namespace lanescope::simt
