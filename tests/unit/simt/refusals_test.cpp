// Kernels that the machine refuses: only those; the module loads and its other kernels run. Also
// legal but unusual code: conversions of registers that are wider than the instruction's types, and
// special registers that have no meaning in this machine.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* head = ".version 9.0\n.target sm_90a\n.address_size 64\n";

// Stores each lane's %rd9 after `body`.
std::string writes(std::string_view body)
{
    return fmt::format("{}.visible .entry k(.param .u64 out)\n{{\n"
                       ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<19>;\n"
                       ".reg .f32 %f<9>; .reg .f64 %fd<9>;\n"
                       "{}\n"
                       "ld.param.u64 %rd11, [out]; mov.u32 %r8, %tid.x;\n"
                       "mul.wide.u32 %rd12, %r8, 8; add.s64 %rd11, %rd11, %rd12;\n"
                       "st.global.u64 [%rd11], %rd9; ret;\n}}\n",
                       head, body);
}

std::vector<std::uint64_t> results(std::string_view body)
{
    Machine machine = Machine::from_text(writes(body));
    const auto out = machine.buffer(std::vector<std::uint64_t>(32));
    machine.run("k", {}, *out);
    return machine.values<std::uint64_t>(*out);
}

std::uint64_t result(std::string_view body)
{
    return results(body).front();
}

std::string refusal(Machine& machine, const char* kernel)
{
    try {
        machine.module().kernel(kernel);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(Refusals, AffectOneKernel)
{
    struct Case {
        const char* body;
        const char* instruction;
        const char* reason;
    };
    const Case cases[] = {
        {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f16.f16.f16 {%r1, %r2}, %rd1, %rd2, %r3, 0, 1, "
         "1, 1, "
         "0, 0;",
         "'wgmma.mma_async.sp.sync.aligned.m64n8k32.f16.f16.f16'", "sparse"},
        {"tcgen05.wait::ld.sync.aligned;", "'tcgen05.wait::ld.sync.aligned'", "tcgen05"},
        {"barrier.cluster.wait.relaxed;", "'barrier.cluster.wait.relaxed'", "only be .acquire"},
        {"cp.async.ca.shared::cluster.global [%r1], [%rd1], 16;",
         "'cp.async.ca.shared::cluster.global'", ".shared::cluster"},
        {"call (x), cudaGetParameterBufferV2, (x);", "'call'", "dynamic parallelism"},
        {"mov.u64 %rd1, elsewhere;", "'mov.u64'", "nothing defines it"},
        {"call unknown, ();", "'call'", "unknown is not defined"},
        {"frobnicate.u32 %r1, %r2;", "'frobnicate.u32'", "is not known"},
        {"add.sideways.u32 %r1, %r2, %r3;", "'add.sideways.u32'", "cannot have .sideways"},
        {"add.u32 %r1, %r2;", "'add.u32'", "has 2 operands"},
        {"bra nowhere;", "'nowhere'", "is not defined"},
        {"mov.u32 %r1, \x80;", "0x80", "is not valid in PTX"},
    };
    for (const Case& one : cases) {
        const std::string text = fmt::format(
            "{}.extern .global .align 4 .u32 elsewhere;\n"
            ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 p);\n"
            ".extern .func unknown();\n"
            ".visible .entry bad()\n{{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .param .b64 x;\n"
            "{}\nret; }}\n"
            ".func odd() {{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .param .b64 x;\n"
            "{}\nret; }}\n"
            ".visible .entry calls_odd() {{ call odd, (); ret; }}\n"
            ".visible .entry good(.param .u64 out)\n{{ .reg .b64 %rd<2>;\n"
            "ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], 7; ret; }}\n",
            head, one.body, one.body);
        Machine machine = Machine::from_text(text);
        EXPECT_THAT(refusal(machine, "bad"),
                    AllOf(HasSubstr(one.instruction), HasSubstr(one.reason), HasSubstr("line 9")))
            << one.body;
        EXPECT_THAT(refusal(machine, "calls_odd"),
                    AllOf(HasSubstr(one.instruction), HasSubstr("odd"), HasSubstr("line 12")))
            << one.body;
        const auto out = machine.buffer(std::vector<std::uint32_t>(1));
        machine.run("good", {.block = {1, 1, 1}}, *out);
        EXPECT_THAT(machine.values<std::uint32_t>(*out), ElementsAre(7)) << one.body;
    }
}

TEST(UnusualPtx, CachePoliciesHaveNoEffect)
{
    for (const char* create :
         {"createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;",
          "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1;",
          "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd1, [%rd2], 4096, 8192;",
          "createpolicy.cvt.L2.b64 %rd1, 5;"}) {
        const std::string body = fmt::format("ld.param.u64 %rd2, [out]; {}\n"
                                             "st.global.L2::cache_hint.u64 [%rd2], 41, %rd1;\n"
                                             "ld.global.L2::cache_hint.u64 %rd9, [%rd2], %rd1;\n"
                                             "add.u64 %rd9, %rd9, 1;",
                                             create);
        EXPECT_EQ(result(body), 42u) << create;
    }
}

// Outside a cluster, a block is a cluster of its own: its cluster window is its shared memory.
TEST(UnusualPtx, BlockIsItsOwnCluster)
{
    const char* body = R"({ .shared .align 4 .b8 mine[4];
        mov.u64 %rd1, mine; cvta.shared.u64 %rd1, %rd1; mov.u64 %rd9, 0;
        isspacep.shared::cluster %p1, %rd1; @%p1 add.u64 %rd9, %rd9, 1;
        ld.param.u64 %rd2, [out];
        isspacep.shared::cluster %p2, %rd2; @%p2 add.u64 %rd9, %rd9, 2; })";
    EXPECT_EQ(result(body), 1u);
}

TEST(Refusals, ClusterDirective)
{
    Machine machine =
        Machine::from_text(fmt::format("{}.entry pair() .reqnctapercluster 2, 1, 1\n"
                                       ".blocksareclusters {{ ret; }}\n"
                                       ".entry one() .reqnctapercluster 1, 1, 1 {{ ret; }}\n",
                                       head));
    EXPECT_THAT(refusal(machine, "pair"), AllOf(HasSubstr("pair"), HasSubstr("clusters")));
    EXPECT_EQ(refusal(machine, "one"), "");
}

TEST(Refusals, ExcessLocalMemory)
{
    for (const char* bytes : {"524289", "8589934592"}) {
        Machine machine = Machine::from_text(
            fmt::format("{}.entry large() {{ .local .align 4 .b8 many[{}]; ret; }}\n"
                        ".entry small() {{ .local .align 4 .b8 many[524288]; ret; }}\n",
                        head, bytes));
        EXPECT_THAT(refusal(machine, "large"),
                    AllOf(HasSubstr("large"), HasSubstr("524288 bytes"), HasSubstr(bytes)));
        EXPECT_EQ(refusal(machine, "small"), "");
        machine.run("small", {{1, 1, 1}, {32, 1, 1}, 0});
    }
}

TEST(Declarations, AcceptExternalKernelsAndFunctions)
{
    Machine machine =
        Machine::from_text(fmt::format("{}.extern .func other (.param .b64 p0)\n;\n"
                                       ".extern .entry kernel_elsewhere(.param .u64 a)\n;\n"
                                       ".visible .entry k(.param .u64 a) {{ ret; }}\n"
                                       ".entry later(.param .u64 a)\n;\n"
                                       ".visible .entry later(.param .u64 a) {{ ret; }}\n",
                                       head));
    EXPECT_THAT(machine.module().kernel_names(), ElementsAre("k", "later"));
    machine.run("k", {}, std::uint64_t{0});
    machine.run("later", {}, std::uint64_t{0});
}

// PTX manual, "Operand Size Exceeding Instruction-Type Size": cvt, ld and st accept registers that
// are wider than the type. Sources are truncated; results are extended by the rules of the type.
TEST(WideRegisters, AreConverted)
{
    const std::string wide = "mov.b64 %rd1, 0x12345678fffffff6;\n";
    EXPECT_EQ(result(wide + "cvt.s64.s32 %rd9, %rd1;"), 0xfffffffffffffff6u);
    EXPECT_EQ(result(wide + "cvt.u64.u32 %rd9, %rd1;"), 0x00000000fffffff6u);
    EXPECT_EQ(result(wide + "cvt.s64.s8 %rd9, %rd1;"), 0xfffffffffffffff6u);
    EXPECT_EQ(result(wide + "cvt.u64.u8 %rd9, %rd1;"), 0x00000000000000f6u);
    EXPECT_EQ(result(wide + "cvt.u32.u32 %rd9, %rd1;"), 0x00000000fffffff6u);
    EXPECT_EQ(result(wide + "cvt.s32.s32 %rd9, %rd1;"), 0xfffffffffffffff6u);
    EXPECT_EQ(result(wide + "cvt.s16.s32 %rd9, %rd1;"), 0xfffffffffffffff6u);
    EXPECT_EQ(result(wide + "cvt.u16.s32 %rd9, %rd1;"), 0x000000000000fff6u);
    EXPECT_EQ(result(wide + "cvt.rn.f32.s32 %f1, %rd1; cvt.rzi.s32.f32 %rd9, %f1;"),
              0xfffffffffffffff6u);
    EXPECT_EQ(result(wide + "cvt.u32.u64 %r1, %rd1; cvt.u64.u32 %rd9, %r1;"), 0xfffffff6u);
    EXPECT_EQ(result("mov.b64 %rd9, 5; setp.ne.s32 %p1, 0, 0; @%p1 cvt.s64.s32 %rd9, 9;"), 5u);
    EXPECT_EQ(result(wide + "mov.b64 %rd9, 5; setp.ne.s32 %p1, 0, 0;\n"
                            "@%p1 cvt.s32.s32 %rd9, %rd1;"),
              5u);
}

// A conversion in a loop becomes two steps; branches must still lead to the right steps.
TEST(WideRegisters, InLoopsAndBranches)
{
    const std::vector<std::uint64_t> all =
        results("mov.u32 %r1, %laneid; mov.b64 %rd9, 0; cvt.u64.u32 %rd2, %r1;\n"
                "AGAIN: setp.eq.u64 %p1, %rd2, 0; @%p1 bra DONE;\n"
                "cvt.s32.s16 %rd3, %rd2; add.s64 %rd9, %rd9, %rd3; add.s64 %rd2, %rd2, -1;\n"
                "bra AGAIN;\nDONE: cvt.u32.u32 %rd9, %rd9;");
    for (std::uint64_t lane = 0; lane < all.size(); ++lane)
        EXPECT_EQ(all[lane], lane * (lane + 1) / 2);
}

TEST(WideRegisters, AreLoadedAndStored)
{
    EXPECT_EQ(result(".shared .align 8 .b64 s; mov.b64 %rd1, 0x1122334455667788;\n"
                     "st.shared.u32 [s], %rd1; ld.shared.u32 %rd9, [s];"),
              0x55667788u);
    EXPECT_EQ(result(".shared .align 8 .b64 s; mov.b64 %rd1, -2;\n"
                     "st.shared.u8 [s], %rd1; ld.shared.s8 %rd9, [s];"),
              0xfffffffffffffffeu);
}

TEST(SpecialRegisters, HaveDefaultValues)
{
    for (const char* name : {"envreg0", "envreg31", "reserved_smem_offset_begin",
                             "reserved_smem_offset_end", "reserved_smem_offset_cap",
                             "reserved_smem_offset_1", "cluster_ctarank", "cluster_ctaid.y"})
        EXPECT_EQ(result(fmt::format("mov.b32 %r1, %{}; cvt.u64.u32 %rd9, %r1;", name)), 0u)
            << name;
    for (const char* name : {"cluster_nctarank", "cluster_nctaid.x", "nclusterid.x"})
        EXPECT_EQ(result(fmt::format("mov.u32 %r1, %{}; cvt.u64.u32 %rd9, %r1;", name)), 1u)
            << name;
    EXPECT_EQ(result("griddepcontrol.wait; griddepcontrol.launch_dependents; mov.b64 %rd9, 3;"),
              3u);
}

TEST(AsynchronousCopies, AcceptCacheHint)
{
    const std::vector<std::uint64_t> all =
        results(".shared .align 16 .b8 s[16]; ld.param.u64 %rd1, [out];\n"
                "mov.b64 %rd3, 0x0000000200000001; st.global.u64 [%rd1], %rd3;\n"
                "mov.u64 %rd2, 0; mov.u32 %r1, 4; mov.u32 %r2, s;\n"
                "cp.async.ca.shared.global.L2::cache_hint [%r2], [%rd1], 8, %r1, %rd2;\n"
                "cp.async.wait_all; ld.shared.u64 %rd9, [s];");
    EXPECT_EQ(all.front(), 1u); // four bytes are copied, the other four are zero
}

TEST(Refusals, VariableSpaceIsLimited)
{
    const auto with = [](std::string_view variables) {
        return fmt::format("{}{}.visible .entry k()\n{{ ret; }}\n", head, variables);
    };
    EXPECT_NO_THROW(Machine::from_text(with(".const .align 4 .b8 a[65532];\n.const .u32 b;\n")));
    const auto refused = [&](std::string_view variables) -> std::string {
        try {
            Machine::from_text(with(variables));
        } catch (const device::LaunchError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(refused(".const .align 4 .b8 a[65536];\n.const .u32 b;\n"),
                HasSubstr("more than the 65536 bytes that a GPU has for them: b alone takes 4."));
    EXPECT_THAT(refused(".const .align 4 .b8 a[8589934588];\n"),
                HasSubstr("a alone takes 8589934588."));
    EXPECT_THAT(refused(".global .align 4 .b8 a[268435456];\n.global .u32 b;\n"),
                HasSubstr("that the lockstep machine has for them: b alone takes 4."));
}

} // namespace
} // namespace lanescope::simt
