// Stepping: positions, registers and addresses, states to come back to, and the same result as a
// launch.
#include <algorithm>

#include <gtest/gtest.h>

#include "compute/simt/machine/stepper.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

TEST(Stepper, ComesToTheSameResultAsALaunch)
{
    for (const char* name : {"nested", "early_then_barrier"}) {
        Machine machine("flow");
        const auto start = numbers(100, 1000);
        const auto in = machine.buffer(start);
        const auto out = machine.buffer(std::vector<int>(100));
        const auto want = machine.buffer(std::vector<int>(100));
        const bool nested = std::string_view(name) == "nested";
        const auto arguments = [&](const device::Buffer& target) {
            std::vector<device::Argument> list;
            if (!nested) list.emplace_back(*in);
            list.emplace_back(target);
            list.emplace_back(100);
            return list;
        };
        const device::Kernel& kernel = machine.module().kernel(name);
        trace::Trace trace;
        machine.device().launch(kernel, {{2, 1, 1}, {64, 1, 1}, 0, arguments(*want), &trace});
        Stepper stepper(machine.device(), kernel,
                        {{2, 1, 1}, {64, 1, 1}, 0, arguments(*out), nullptr});
        while (!stepper.finished()) stepper.step_instruction();
        EXPECT_EQ(machine.values<int>(*out), machine.values<int>(*want)) << name;
        EXPECT_EQ(stepper.steps(), trace.warp_instructions) << name;
    }
}

TEST(Stepper, ShowsLinesLanesAndRegisters)
{
    Machine machine("flow");
    const auto out = machine.buffer(std::vector<int>(40));
    Stepper stepper(machine.device(), machine.module().kernel("nested"),
                    {{1, 1, 1}, {40, 1, 1}, 0, {*out, 40}, nullptr});
    EXPECT_EQ(stepper.position().active, full_mask);
    std::vector<int> lines;
    bool parted = false;
    while (!stepper.finished() && stepper.position().warp == 0) {
        const StepPosition position = stepper.position();
        lines.push_back(position.line);
        parted = parted || position.active != full_mask;
        stepper.step_line();
    }
    EXPECT_TRUE(parted);
    EXPECT_GE(std::ranges::count(lines, 5), 1);  // where i is computed
    EXPECT_EQ(stepper.position().active, 0xffu); // warp 1 has 8 threads
    EXPECT_EQ(stepper.position().function, "nested");

    // Lanes hold different thread numbers once %tid.x has been read.
    bool seen = false;
    for (int i = 0; i < 12 && !seen; ++i) {
        stepper.step_instruction();
        for (const RegisterView& view : stepper.registers())
            seen = seen || (view.lanes[0] == 32 && view.lanes[7] == 39);
    }
    EXPECT_TRUE(seen);
}

TEST(Stepper, ShowsAddressesBeforeAnAccess)
{
    Machine machine("flow");
    const auto out = machine.buffer(std::vector<int>(32));
    Stepper stepper(machine.device(), machine.module().kernel("nested"),
                    {{1, 1, 1}, {32, 1, 1}, 0, {*out, 32}, nullptr});
    int stores = 0;
    while (!stepper.finished()) {
        if (const auto view = stepper.addresses()) {
            ++stores;
            EXPECT_EQ(view->op, trace::Op::store);
            EXPECT_EQ(view->width_bytes, 4);
            EXPECT_EQ(view->mask, full_mask);
            for (std::uint64_t lane = 0; lane < 32; ++lane)
                EXPECT_EQ(view->lanes[lane], out->address() + 4 * lane);
        }
        stepper.step_instruction();
    }
    EXPECT_EQ(stores, 1);
}

TEST(Stepper, StepsToBarriersAndBack)
{
    Machine machine("blocks");
    const auto start = numbers(256, 1000);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(1));
    Stepper stepper(machine.device(), machine.module().kernel("tree_sum"),
                    {{1, 1, 1}, {256, 1, 1}, 0, {*in, *out}, nullptr});
    stepper.step_to_barrier();
    EXPECT_EQ(stepper.position().warp, 1); // warp 0 waits
    const auto state = stepper.save();
    const StepPosition before = stepper.position();
    while (!stepper.finished()) stepper.step_to_barrier();
    const int sum = machine.values<int>(*out)[0];
    EXPECT_NE(sum, 0);
    stepper.restore(*state);
    EXPECT_EQ(machine.values<int>(*out)[0], 0);
    EXPECT_FALSE(stepper.finished());
    EXPECT_EQ(stepper.position().ptx_line, before.ptx_line);
    EXPECT_EQ(stepper.position().active, before.active);
    while (!stepper.finished()) stepper.step_instruction();
    EXPECT_EQ(machine.values<int>(*out)[0], sum);
}

TEST(Stepper, FollowsCallsAndChosenWarps)
{
    Machine machine("calls");
    const auto out = machine.buffer(std::vector<int>(64));
    Stepper stepper(machine.device(), machine.module().kernel("recursion"),
                    {{1, 1, 1}, {64, 1, 1}, 0, {*out}, nullptr});
    stepper.choose_warp(1);
    EXPECT_EQ(stepper.position().warp, 1);
    std::size_t depth = 0;
    while (!stepper.finished()) {
        depth = std::max(depth, stepper.position().callers.size());
        stepper.step_instruction();
    }
    EXPECT_EQ(depth, 10u); // fibonacci(10) … fibonacci(1)
    EXPECT_THROW(stepper.choose_warp(2), device::LaunchError);
}

} // namespace
} // namespace lanescope::simt
