// When a warp spins, its iterations are counted without executing them. Nothing visible changes:
// counts, results and findings equal those of a launch that records accesses and so executes all.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

// Warp 0 spins until warp 1, which has several slices of work to do first, sets a flag.
std::string kernel(std::string_view round)
{
    return R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 flag, .param .u64 out, .param .u32 turns)
{
.reg .pred %p, %q;
.reg .b32 %n, %t, %x, %y, %z, %turns;
.reg .b64 %flag, %out, %place, %long;
.shared .align 4 .b8 words[512];
ld.param.u64 %flag, [flag];
ld.param.u64 %out, [out];
ld.param.u32 %turns, [turns];
mov.u32 %t, %tid.x;
mov.u32 %n, 0;
mov.u32 %y, 0;
setp.ne.u32 %q, %n, 0;
mul.wide.u32 %place, %t, 4;
add.s64 %out, %out, %place;
setp.ge.u32 %p, %t, 32;
@%p bra work;
again:
)" + std::string(round) +
           R"(st.global.u32 [%out], %y;
ret;
work:
add.u32 %n, %n, 1;
setp.lt.u32 %p, %n, %turns;
@%p bra work;
membar.gl;
and.b32 %x, %t, 31;
setp.ne.u32 %p, %x, 0;
@%p ret;
st.volatile.global.u32 [%flag], 1;
ret;
}
)";
}

constexpr std::string_view looks = "ld.volatile.global.u32 %x, [%flag];\n"
                                   "setp.eq.u32 %p, %x, 0;\n";
constexpr std::string_view back = "@%p bra again;\n";

// Wait loops, some of which also do other work.
const std::pair<const char*, std::string> waits[] = {
    {"only looks", std::string(looks) + std::string(back)},
    {"looks at two places", "ld.volatile.global.u32 %z, [%flag+4];\n" + std::string(looks) +
                                "ld.volatile.global.u32 %z, [%flag+8];\n" + std::string(back)},
    {"leaves by a branch in the middle", std::string(looks) + "@!%p bra over;\n"
                                                              "mov.u32 %z, 7;\n"
                                                              "bra again;\n"
                                                              "over:\n"},
    {"jumps twice", "bra on;\non:\n" + std::string(looks) + std::string(back)},
    {"jumps three times", "mov.u32 %z, 1;\nbra on;\non:\nmov.u32 %z, 2;\nmov.u32 %z, 3;\nbra off;\n"
                          "off:\n" +
                              std::string(looks) + std::string(back)},
    {"some lanes look", "setp.lt.u32 %q, %t, 5;\nmov.u32 %x, 1;\n"
                        "@%q ld.volatile.global.u32 %x, [%flag];\n"
                        "setp.eq.u32 %p, %x, 0;\n" +
                            std::string(back)},
    {"counts", "add.u32 %y, %y, 1;\n" + std::string(looks) + std::string(back)},
    {"counts in one lane",
     "setp.eq.u32 %q, %t, 31;\n@%q add.u32 %y, %y, 1;\n" + std::string(looks) + std::string(back)},
    {"counts to seven",
     "add.u32 %y, %y, 1;\nrem.u32 %y, %y, 7;\n" + std::string(looks) + std::string(back)},
    {"changes a predicate",
     "not.pred %q, %q;\nselp.u32 %y, 1, 0, %q;\n" + std::string(looks) + std::string(back)},
    {"gives up", "add.u32 %n, %n, 1;\nmov.u32 %y, %n;\nsetp.gt.u32 %q, %n, 9000;\n"
                 "@%q bra over;\n" +
                     std::string(looks) + std::string(back) + "over:\n"},
    {"reads the clock", "mov.u32 %y, %clock;\n" + std::string(looks) + std::string(back)},
    {"reads the clock into nothing",
     "mov.u32 %z, %clock;\nmov.u32 %z, 0;\n" + std::string(looks) + std::string(back)},
    {"updates", "atom.global.add.u32 %y, [%out], 1;\n" + std::string(looks) + std::string(back)},
    {"stores", "ld.global.u32 %y, [%out];\nadd.u32 %y, %y, 1;\nst.global.u32 [%out], %y;\n"
               "mov.u32 %y, 0;\n" +
                   std::string(looks) + "@!%p ld.global.u32 %y, [%out];\n" + std::string(back)},
    {"stores the same", "st.global.u32 [%out], %t;\n" + std::string(looks) + std::string(back)},
    {"fences", "membar.cta;\n" + std::string(looks) + std::string(back)},
    {"takes turns of two rounds", "xor.b32 %y, %y, 1;\n" + std::string(looks) + std::string(back)},
    {"lanes wait for different flags",
     "and.b32 %z, %t, 1;\nmul.wide.u32 %long, %z, 4;\nadd.s64 %long, %long, %flag;\n"
     "ld.volatile.global.u32 %x, [%long];\nsetp.eq.u32 %p, %x, 0;\n" +
         std::string(looks) + "@%p bra again;\n"},
    {"rounds of many instructions",
     [] {
         std::string text = "mov.u32 %z, 0;\n";
         for (int i = 0; i < 200; ++i) text += "mov.u32 %z, 0;\n";
         return text + std::string(looks) + std::string(back);
     }()},
};

struct Seen {
    std::vector<int> out;
    std::vector<trace::Counts> counts;
    std::vector<trace::WarpCounts> warps;
    std::uint64_t warp_instructions = 0, thread_instructions = 0;
    std::string fault;
    bool operator==(const Seen&) const = default;
};

Seen run(const std::string& text, const Options& options, int threads, bool watched)
{
    Machine machine = Machine::from_text(text, options);
    const auto flag = machine.buffer(std::vector<int>(64));
    const auto out = machine.buffer(std::vector<int>(64));
    trace::Trace trace;
    trace.records_touches = watched; // recording touched elements needs every access
    Seen seen;
    try {
        machine.run_traced(&trace, "k", {{1, 1, 1}, {static_cast<std::uint32_t>(threads), 1, 1}},
                           *flag, *out, 40000);
    } catch (const device::KernelFault& fault) {
        seen.fault = fault.fault().message;
    }
    seen.out = machine.values<int>(*out);
    seen.counts = trace.counts;
    seen.warps = trace.warps;
    seen.warp_instructions = trace.warp_instructions;
    seen.thread_instructions = trace.thread_instructions;
    return seen;
}

TEST(SkippedIterations, AreCountedAsExecuted)
{
    for (const auto& [what, round] : waits)
        for (const bool checked : {false, true})
            for (const NativeCode native :
                 {NativeCode::never, NativeCode::always, NativeCode::sometimes}) {
                Options options;
                options.native = native;
                if (checked) options.checks = Checks::all();
                const std::string text = kernel(round);
                const Seen each = run(text, options, 64, true);
                EXPECT_EQ(each.fault, "") << what;
                EXPECT_GT(each.warp_instructions, 150000u) << what; // The warp did spin.
                EXPECT_EQ(run(text, options, 64, false), each)
                    << what << (checked ? ", checked" : "") << ", native "
                    << static_cast<int>(native);
            }
}

// A fault after the wait is reported as without skipped iterations.
TEST(SkippedIterations, EndWithSameFaults)
{
    const std::pair<const char*, std::string> bad[] = {
        {"race", std::string(looks) + std::string(back) + "st.global.u32 [%flag], 5;\n"},
        {"reads what nothing has set", "ld.shared.u32 %z, [words];\n" + std::string(looks) +
                                           std::string(back) + "st.global.u32 [%out], %z;\n"},
        {"reads too far", std::string(looks) + std::string(back) +
                              "add.s64 %out, %out, 4096;\nld.global.u32 %y, [%out];\n"},
        {"never ends",
         "ld.volatile.global.u32 %x, [%flag+4];\nsetp.eq.u32 %p, %x, 0;\n" + std::string(back)},
    };
    for (const auto& [what, round] : bad) {
        Options options;
        options.checks = Checks::all();
        options.patience = 1;
        const std::string text = kernel(round);
        const Seen each = run(text, options, 64, true);
        EXPECT_NE(each.fault, "") << what;
        EXPECT_EQ(run(text, options, 64, false), each) << what;
    }
}

} // namespace
} // namespace lanescope::simt
