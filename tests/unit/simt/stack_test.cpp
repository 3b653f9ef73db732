// alloca: a stack that grows while a function runs.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/error.h"
#include "compute/simt/machine/state/aligned.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

// `before` may declare functions; the kernel has 32-bit results in p.
std::string kernel(std::string_view body, std::string_view before = "")
{
    return fmt::format(".version 7.3\n.target sm_80\n.address_size 64\n{}"
                       ".visible .entry k(.param .u64 p)\n{{\n"
                       ".local .align 8 .b8 own[8]; .reg .pred %p<5>; .reg .b32 %r<20>;\n"
                       ".reg .b64 %rd<20>;\n"
                       "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;\n"
                       "mad.wide.u32 %rd1, %r1, 4, %rd1;\n"
                       "{}\nret;\n}}\n",
                       before, body);
}

Words run(const std::string& text, unsigned threads = 32, const Options& options = {})
{
    Machine machine = Machine::from_text(text, options);
    const auto out = machine.buffer(Words(threads));
    machine.run("k", {{1, 1, 1}, {threads, 1, 1}, 0}, *out);
    return machine.values<std::uint32_t>(*out);
}

// Each thread sums its own array, whose length depends on the thread.
const char* const sums = "add.u32 %r2, %r1, 1; mul.wide.u32 %rd2, %r2, 4;\n"
                         "alloca.u64 %rd3, %rd2, 16; cvta.local.u64 %rd4, %rd3;\n"
                         "mov.u32 %r3, 0;\n"
                         "fill: mad.wide.u32 %rd5, %r3, 4, %rd4; st.u32 [%rd5], %r3;\n"
                         "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2; @%p1 bra fill;\n"
                         "mov.u32 %r4, 0;\n"
                         "sum: add.s32 %r3, %r3, -1; mad.wide.u32 %rd5, %r3, 4, %rd3;\n"
                         "ld.local.u32 %r5, [%rd5]; add.u32 %r4, %r4, %r5;\n"
                         "setp.gt.u32 %p1, %r3, 0; @%p1 bra sum;\n"
                         "st.global.u32 [%rd1], %r4;";

TEST(Alloca, LengthsDifferBetweenThreads)
{
    const Words got = run(kernel(sums));
    for (std::uint32_t thread = 0; thread < 32; ++thread)
        EXPECT_EQ(got[thread], thread * (thread + 1) / 2);
}

TEST(Alloca, FollowsVariablesAndIsAligned)
{
    const Words got = run(kernel("mov.u64 %rd2, own; alloca.u64 %rd3, 3; alloca.u64 %rd4, 40;\n"
                                 "alloca.u64 %rd5, 1, 64; stacksave.u64 %rd6;\n"
                                 "sub.u64 %rd3, %rd3, %rd2; sub.u64 %rd4, %rd4, %rd2;\n"
                                 "and.b64 %rd7, %rd5, 63; shl.b64 %rd4, %rd4, 8;\n"
                                 "shl.b64 %rd7, %rd7, 24; or.b64 %rd3, %rd3, %rd4;\n"
                                 "or.b64 %rd3, %rd3, %rd7; cvt.u32.u64 %r2, %rd3;\n"
                                 "st.global.u32 [%rd1], %r2;"),
                          1);
    EXPECT_EQ(got[0], 8u | 16u << 8);
}

TEST(Alloca, RestoredStackIsReused)
{
    const Words got = run(kernel("mov.u32 %r2, 0; mov.u64 %rd6, 0;\n"
                                 "again: stacksave.u64 %rd2; alloca.u64 %rd3, 4096;\n"
                                 "st.local.u32 [%rd3+4092], %r2; max.u64 %rd6, %rd6, %rd3;\n"
                                 "stackrestore.u64 %rd2; add.u32 %r2, %r2, 1;\n"
                                 "setp.lt.u32 %p1, %r2, 1000; @%p1 bra again;\n"
                                 "cvt.u32.u64 %r3, %rd6; st.global.u32 [%rd1], %r3;"),
                          1);
    EXPECT_EQ(got[0], 8u);
}

// A function called after an alloca, and by other lanes at the same time, keeps its own variables.
TEST(Alloca, CalledFunctionsDoNotOverlap)
{
    const char* const callee =
        ".func (.param .u32 r) twice(.param .u32 a)\n{\n"
        ".local .align 8 .b8 mine[64]; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
        "ld.param.u32 %r1, [a]; mov.u64 %rd1, mine; st.local.u32 [%rd1], %r1;\n"
        "mov.u64 %rd2, 64; alloca.u64 %rd3, %rd2; st.local.u32 [%rd3+60], %r1;\n"
        "ld.local.u32 %r2, [%rd1]; ld.local.u32 %r3, [%rd3+60]; add.u32 %r2, %r2, %r3;\n"
        "st.param.u32 [r], %r2; ret;\n}\n";
    const Words got = run(kernel("and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0;\n"
                                 "mov.u64 %rd2, 16; @%p1 mov.u64 %rd2, 256;\n"
                                 "alloca.u64 %rd3, %rd2; add.u64 %rd4, %rd3, %rd2;\n"
                                 "st.local.u32 [%rd3], %r1; st.local.u32 [%rd4+-4], %r1;\n"
                                 "{ .param .u32 a; .param .u32 b; st.param.u32 [a], %r1;\n"
                                 "call (b), twice, (a); ld.param.u32 %r3, [b]; }\n"
                                 "ld.local.u32 %r4, [%rd3]; ld.local.u32 %r5, [%rd4+-4];\n"
                                 "add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5;\n"
                                 "st.global.u32 [%rd1], %r3;",
                                 callee));
    for (std::uint32_t thread = 0; thread < 32; ++thread) EXPECT_EQ(got[thread], 4 * thread);
}

TEST(Alloca, MistakesFault)
{
    const auto fault = [](std::string_view body, std::size_t stack = 0) {
        Options options;
        options.stack_bytes = stack;
        Machine machine = Machine::from_text(kernel(body), options);
        const auto out = machine.buffer(Words(32));
        return machine.fault("k", {{1, 1, 1}, {1, 1, 1}, 0}, *out);
    };
    const trace::Fault large = fault("alloca.u64 %rd2, 2000;", 1024);
    EXPECT_EQ(large.kind, "stack_overflow");
    EXPECT_THAT(large.message, HasSubstr("allocates 2000 bytes with alloca"));
    EXPECT_EQ(fault("alloca.u64 %rd2, 900;", 1024).kind, "none");
    for (const char* size : {"524288", "-1", "0x8000000000000000"})
        EXPECT_EQ(fault(fmt::format("mov.u64 %rd3, {}; alloca.u64 %rd2, %rd3;", size)).kind,
                  "stack_overflow")
            << size;
    EXPECT_EQ(fault("alloca.u64 %rd2, 16; st.local.u32 [%rd2+16], 1;").kind, "out_of_bounds");
    EXPECT_EQ(fault("alloca.u64 %rd2, 16; stackrestore.u64 %rd1;").kind, "bad_address");
    EXPECT_EQ(fault("stacksave.u64 %rd2; sub.u64 %rd2, %rd2, 8; stackrestore.u64 %rd2;").kind,
              "bad_address");
    EXPECT_EQ(fault("stacksave.u64 %rd2; alloca.u64 %rd3, 8; stackrestore.u64 %rd2;\n"
                    "st.local.u32 [%rd3+64], 1;")
                  .kind,
              "out_of_bounds");
    Machine odd = Machine::from_text(kernel("alloca.u64 %rd2, 16, 24;"));
    EXPECT_THROW(odd.module().kernel("k"), device::LaunchError);
}

// All warps wait at the barrier, so their stacks exist at the same time.
TEST(Stacks, AllThreadsTogetherAreLimited)
{
    const auto fault_of = [](const std::string& text, unsigned threads) {
        Machine machine = Machine::from_text(text);
        const auto out = machine.buffer(Words(threads));
        return machine.fault("k", {{1, 1, 1}, {threads, 1, 1}, 0}, *out);
    };
    const std::string grows = kernel("alloca.u64 %rd2, 500000; bar.sync 0;");
    const std::string calls = kernel("call.uni f; bar.sync 0;", ".func f() {\n"
                                                                ".local .b8 mine[500000];\n"
                                                                "bar.sync 0; ret;\n}\n");
    limit_rows(std::size_t{40} << 20);
    for (const std::string& text : {grows, calls}) {
        EXPECT_EQ(fault_of(text, 64).kind, "none");
        EXPECT_EQ(fault_of(text, 96).kind, "stack_overflow");
    }
    const std::string declares =
        kernel(".local .b8 large[500000]; mov.u64 %rd2, large; bar.sync 0;");
    EXPECT_EQ(fault_of(declares, 64).kind, "none");
    EXPECT_THROW(fault_of(declares, 96), Error);
    limit_rows(0);
    EXPECT_EQ(fault_of(grows, 96).kind, "none");
}

} // namespace
} // namespace lanescope::simt
