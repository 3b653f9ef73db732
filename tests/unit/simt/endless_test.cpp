// Infinite loops are reported quickly; kernels that make progress are never stopped.
#include <ctime>

#include <gmock/gmock.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::HasSubstr;

// Checks for repetition after a block's first slice.
Options impatient(bool checked)
{
    Options options;
    options.patience = 1;
    if (checked) options.checks = Checks::all();
    return options;
}

std::string kernel(std::string_view body)
{
    return ".version 8.0\n.target sm_75\n.address_size 64\n"
           ".visible .entry k(.param .u64 at, .param .u32 turns)\n{\n"
           ".reg .pred %p, %q;\n.reg .b32 %n, %t, %b, %x;\n.reg .b64 %at, %c;\n"
           "ld.param.u64 %at, [at];\nld.param.u32 %n, [turns];\nmov.u32 %b, %ctaid.x;\n" +
           std::string(body) + "}\n";
}

trace::Fault run(const std::string& text, bool checked, std::uint32_t blocks, std::uint32_t turns)
{
    Machine machine = Machine::from_text(text, impatient(checked));
    const auto at = machine.buffer(std::vector<int>(64));
    return machine.fault("k", {{blocks, 1, 1}, {64, 1, 1}, 0}, *at, turns);
}

TEST(EndlessLoops, AreReportedQuickly)
{
    const std::clock_t begin = std::clock(); // CPU time of this process
    const std::string reads = kernel("again: ld.volatile.global.u32 %t, [%at];\n"
                                     "setp.eq.u32 %p, %t, 0;\n@%p bra again;\nret;\n");
    const std::string updates = kernel("mov.u32 %x, %tid.x;\nsetp.ne.u32 %p, %x, 0;\n@%p ret;\n"
                                       "again: atom.global.add.u32 %t, [%at], 0;\n"
                                       "setp.eq.u32 %p, %t, 0;\n@%p bra again;\nret;\n");
    const std::string nothing = kernel("again: mov.u32 %t, 1;\nbra again;\n");
    const std::string last_block = kernel("setp.ne.u32 %p, %b, 2;\n@%p ret;\n"
                                          "again: mov.u32 %t, 1;\nbra again;\n");
    for (const bool checked : {false, true})
        for (const std::uint32_t blocks : {1u, 3u}) {
            for (const std::string& text : {reads, updates}) {
                const trace::Fault fault = run(text, checked, blocks, 0);
                EXPECT_EQ(fault.kind, "endless") << text;
                EXPECT_THAT(fault.message, HasSubstr("forever"));
            }
            if (checked || blocks == 1) {
                EXPECT_EQ(run(nothing, checked, blocks, 0).kind, "endless");
            }
        }
    EXPECT_EQ(run(last_block, false, 3, 0).kind, "endless");
    const trace::Fault fault = run(last_block, true, 3, 0);
    EXPECT_THAT(fault.message, HasSubstr("of 3 blocks, 1 running, 2 ended and 0 not started"));
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr int max_s = 600; // because the sanitizer also checks each access
#else
    constexpr int max_s = 60;
#endif
    EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, max_s);
}

TEST(EndlessLoops, DetectsBlocksWaitingForEachOther)
{
    // Each block waits until the next one has stored a value.
    const std::string text = kernel("mul.wide.u32 %c, %b, 4;\nadd.s64 %c, %at, %c;\n"
                                    "again: ld.volatile.global.u32 %t, [%c+4];\n"
                                    "setp.eq.u32 %p, %t, 0;\n@%p bra again;\n"
                                    "st.volatile.global.u32 [%c], 1;\nret;\n");
    EXPECT_EQ(run(text, false, 4, 0).kind, "endless");
}

// Enough iterations for three slices; the registers are equal at the start of each.
constexpr std::uint32_t many = 3u << 20;

TEST(EndlessLoops, ChangingMemoryIsProgress)
{
    const std::string text =
        kernel("mov.u32 %x, %tid.x;\nsetp.ne.u32 %p, %x, 0;\n@%p ret;\n"
               "again: red.global.add.u32 [%at], 1;\n"
               "ld.volatile.global.u32 %t, [%at];\n"
               "setp.lt.u32 %p, %t, %n;\nmov.u32 %t, 0;\n@%p bra again;\nret;\n");
    EXPECT_EQ(run(text, false, 1, many).message, "");
    EXPECT_EQ(run(text, false, 2, many).message, "");
    EXPECT_EQ(run(text, true, 1, many).message, "");
}

TEST(EndlessLoops, TimeIsProgress)
{
    const std::string text = kernel("again: mov.u64 %c, %clock64;\ncvt.u32.u64 %t, %c;\n"
                                    "setp.lt.u32 %p, %t, %n;\nmov.u32 %t, 0;\nmov.u64 %c, 0;\n"
                                    "@%p bra again;\nret;\n");
    EXPECT_EQ(run(text, false, 1, 8 * many).message, "");
    EXPECT_EQ(run(text, true, 2, 8 * many).message, "");
}

TEST(EndlessLoops, WaitingForWorkingBlockIsProgress)
{
    // The other blocks wait while the last block counts down from `turns`.
    const std::string text =
        kernel("mov.u32 %x, %nctaid.x;\nsub.u32 %x, %x, 1;\n"
               "setp.eq.u32 %p, %b, %x;\n@%p bra works;\n"
               "again: atom.global.add.u32 %t, [%at], 0;\n"
               "setp.eq.u32 %q, %t, 0;\n@%q bra again;\nret;\n"
               "works: sub.u32 %n, %n, 1;\nsetp.ne.u32 %p, %n, 0;\n"
               "@%p bra works;\nmembar.gl;\natom.global.exch.b32 %t, [%at], 1;\nret;\n");
    EXPECT_EQ(run(text, false, 2, many / 2).message, "");
    EXPECT_EQ(run(text, false, 3, many / 2).message, "");
    EXPECT_EQ(run(text, true, 2, many / 2).message, "");
}

} // namespace
} // namespace lanescope::simt
