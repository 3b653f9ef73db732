// How kernels use their parameters and elements: dependent launches, fills, and sums by halving.
#include <gtest/gtest.h>

#include <algorithm>

#include "compute/ptx/instructions/table.h"
#include "compute/ptx/sites/dependents.h"
#include "compute/ptx/uses/element_uses.h"
#include "compute/ptx/uses/halving_sums.h"
#include "compute/ptx/uses/uses.h"
#include "tests/unit/ptx/texts.h"

namespace lanescope::ptx {
namespace {

// Index of the kernel's `number`th load from global memory.
int load(const Function& kernel, int number = 0)
{
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
        const Instruction& in = kernel.instructions[i];
        if (in.op == Op::ld && in.modifiers.space == Space::global && number-- == 0)
            return static_cast<int>(i);
    }
    return -1;
}

std::vector<bool> early_loads(std::string_view body)
{
    const Module module = parse_body(body);
    const Function& kernel = module.functions.front();
    const std::vector<bool> early = early_instructions(module, kernel);
    std::vector<bool> loads;
    for (int number = 0; load(kernel, number) >= 0; ++number)
        loads.push_back(early[static_cast<std::size_t>(load(kernel, number))]);
    return loads;
}

TEST(Dependents, LoadsBeforeWaitAreEarly)
{
    EXPECT_EQ(early_loads("ld.param.u64 %rd1, [data];\n"
                          "ld.global.u32 %r1, [%rd1];\n"
                          "griddepcontrol.wait;\n"
                          "ld.global.u32 %r2, [%rd1+4];\n"
                          "ret;"),
              (std::vector{true, false}));
}

TEST(Dependents, AllAreEarlyWithoutWait)
{
    EXPECT_EQ(early_loads("ld.param.u64 %rd1, [data];\n"
                          "griddepcontrol.launch_dependents;\n"
                          "ld.global.u32 %r1, [%rd1];\n"
                          "ret;"),
              (std::vector{true}));
}

// One thread waits for its block, and the others for that thread.
TEST(Dependents, WaitOfOneThreadCounts)
{
    EXPECT_EQ(early_loads("ld.param.u64 %rd1, [data];\n"
                          "mov.u32 %r1, %tid.x;\n"
                          "setp.ne.u32 %p1, %r1, 0;\n"
                          "@%p1 bra Later;\n"
                          "griddepcontrol.wait;\n"
                          "Later:\n"
                          "bar.sync 0;\n"
                          "ld.global.u32 %r2, [%rd1];\n"
                          "ret;"),
              (std::vector{false}));
}

TEST(Dependents, LoopThatWaitsIsNotEarly)
{
    EXPECT_EQ(early_loads("ld.param.u64 %rd1, [data];\n"
                          "Again:\n"
                          "ld.global.u32 %r2, [%rd1];\n"
                          "griddepcontrol.wait;\n"
                          "setp.ne.u32 %p1, %r2, 0;\n"
                          "@%p1 bra Again;\n"
                          "ret;"),
              (std::vector{false}));
}

ElementUse use_of_load(std::string_view body)
{
    const Module module = parse_body(body);
    const Function& kernel = module.functions.front();
    return element_use(kernel, load(kernel));
}

TEST(ElementUses, ArithmeticShowsTheType)
{
    const std::string_view begin = "ld.param.u64 %rd1, [data];\n";
    const auto use = [&](std::string_view rest) {
        return use_of_load(std::string(begin) + std::string(rest));
    };
    EXPECT_EQ(use("ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\nret;"), ElementUse::real);
    EXPECT_EQ(use("ld.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r1, 1;\nret;"), ElementUse::integer);
    EXPECT_EQ(use("ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd1+4], %f1;\nret;"),
              ElementUse::unknown);
    EXPECT_EQ(use("ld.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 0;\nret;"),
              ElementUse::unknown);
    EXPECT_EQ(use("ld.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 1;\nret;"),
              ElementUse::integer);
    EXPECT_EQ(
        use("ld.global.u32 %r1, [%rd1];\nand.b32 %r2, %r1, 255;\nadd.s32 %r3, %r1, %r2;\nret;"),
        ElementUse::unknown);
    EXPECT_EQ(use("ld.global.u8 %r1, [%rd1];\nadd.s32 %r2, %r1, 1;\nret;"), ElementUse::unknown);
}

TEST(ParameterAccesses, NameTheirParameters)
{
    const Module module = parse_body("ld.param.u64 %rd1, [data];\n"
                                     "ld.param.u32 %r1, [n];\n"
                                     "mul.wide.s32 %rd2, %r1, 4;\n"
                                     "add.s64 %rd3, %rd1, %rd2;\n"
                                     "ld.global.u32 %r2, [%rd3];\n"
                                     "red.global.add.u32 [%rd3], %r2;\n"
                                     "st.global.u32 [%rd3+8], %r2;\n"
                                     "ret;");
    const auto all = parameter_accesses(module, module.functions.front());
    ASSERT_EQ(all.size(), 3u);
    for (const ParameterAccess& one : all) EXPECT_EQ(one.parameters, 1u);
    EXPECT_TRUE(all[0].reads && !all[0].writes);
    EXPECT_TRUE(all[1].reads && all[1].writes);
    EXPECT_TRUE(!all[2].reads && all[2].writes);
}

// A sum by halving of `start`, which `step` halves, and then loads `after`.
std::optional<HalvingSum> sum_of(std::string_view start, std::string_view step,
                                 std::string_view after = "")
{
    const std::string body = ".shared .align 4 .b8 sums[1024];\n"
                             "mov.u32 %r1, %tid.x;\n"
                             "mov.u32 %r2, sums;\n"
                             "shl.b32 %r3, %r1, 2;\n"
                             "add.s32 %r4, %r2, %r3;\n" +
                             std::string(start) +
                             "\nAgain:\n"
                             "setp.ge.u32 %p1, %r1, %r5;\n"
                             "@%p1 bra Over;\n"
                             "shl.b32 %r6, %r5, 2;\n"
                             "add.s32 %r7, %r4, %r6;\n"
                             "ld.shared.u32 %r8, [%r4];\n"
                             "ld.shared.u32 %r9, [%r7];\n"
                             "add.s32 %r10, %r8, %r9;\n"
                             "st.shared.u32 [%r4], %r10;\n"
                             "Over:\n"
                             "bar.sync 0;\n" +
                             std::string(step) +
                             "\nsetp.ne.u32 %p2, %r5, 0;\n"
                             "@%p2 bra Again;\n" +
                             std::string(after) + "\nld.shared.u32 %r20, [sums];\nret;";
    const Module module = parse_body(body);
    return halving_sum(module, module.functions.front());
}

TEST(HalvingSums, KnowTheNumberThatIsHalved)
{
    const auto of_block =
        sum_of("mov.u32 %r11, %ntid.x;\nshr.u32 %r5, %r11, 1;", "shr.u32 %r5, %r5, 1;");
    ASSERT_TRUE(of_block);
    EXPECT_EQ(of_block->parameter, -1);
    const auto of_parameter =
        sum_of("ld.param.u32 %r11, [n];\nshr.u32 %r5, %r11, 1;", "shr.u32 %r5, %r5, 1;");
    ASSERT_TRUE(of_parameter);
    EXPECT_EQ(of_parameter->parameter, 1);
}

TEST(HalvingSums, OtherSumsAreNone)
{
    const std::string_view half = "mov.u32 %r11, %ntid.x;\nshr.u32 %r5, %r11, 1;";
    const std::string_view halve = "shr.u32 %r5, %r5, 1;";
    EXPECT_TRUE(sum_of(half, halve));
    EXPECT_FALSE(sum_of("mov.u32 %r5, 64;", halve)); // may be guarded
    EXPECT_FALSE(sum_of(half, "add.s32 %r12, %r5, 1;\nshr.u32 %r5, %r12, 1;"));
    EXPECT_FALSE(sum_of(half, halve, "ld.shared.u32 %r13, [sums+8];")); // adds the rest
    EXPECT_FALSE(sum_of(half, halve, "ld.shared.u32 %r13, [%r4];"));
    EXPECT_FALSE(sum_of(half, halve, "ld.shared.u32 %r13, [%r4+128];"));
}

} // namespace
} // namespace lanescope::ptx
