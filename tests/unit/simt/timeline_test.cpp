// Stepping through a launch: state at a position, navigation, faults, and memory use.
#include <algorithm>

#include <gtest/gtest.h>

#include "compute/error.h"
#include "compute/simt/debug/expression.h"
#include "compute/simt/debug/timeline.h"
#include "compute/simt/simt_module.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

constexpr std::uint64_t the_end = ~std::uint64_t{0};

struct Stepped {
    Stepped(Machine& machine, const char* kernel, const device::Launch& launch,
            const TimelineOptions& options = {})
        : timeline(machine.device(), machine.module().kernel(kernel), launch, options),
          lines(timeline.launch().program), inspector(timeline, lines, nullptr, nullptr)
    {
    }
    Timeline timeline;
    CodeLines lines;
    Inspector inspector;
};

TEST(Timeline, ShowsLinesLanesAndRegisters)
{
    Machine machine("flow");
    const auto out = machine.buffer(std::vector<int>(40));
    Stepped stepped(machine, "nested", {{1, 1, 1}, {40, 1, 1}, 0, {*out, 40}, nullptr});
    Timeline& timeline = stepped.timeline;
    EXPECT_EQ(timeline.walk().path().mask, full_mask);
    bool diverged = false;
    std::vector<int> lines;
    bool numbered = false;
    while (!timeline.at_end() && stepped.inspector.warp() == 0) {
        lines.push_back(stepped.inspector.line().line);
        const WarpView view = stepped.inspector.warp_view(0);
        EXPECT_TRUE(view.runs_next);
        std::uint32_t all = 0;
        for (const PathView& path : view.paths) {
            EXPECT_EQ(all & path.mask, 0u);
            all |= path.mask;
            EXPECT_FALSE(path.words.empty());
        }
        diverged = diverged || view.paths.size() > 1;
        for (const RegisterView& each : stepped.inspector.registers(0))
            numbered = numbered || (each.lanes[0] == 0 && each.lanes[7] == 7);
        timeline.step();
    }
    EXPECT_TRUE(diverged);
    EXPECT_TRUE(numbered);
    EXPECT_GE(std::ranges::count(lines, 5), 1);    // the line that computes i
    EXPECT_EQ(timeline.walk().path().mask, 0xffu); // warp 1 has 8 threads
    EXPECT_EQ(stepped.inspector.warp_view(1).lanes[8], LaneState::missing);
    EXPECT_EQ(stepped.inspector.warp_view(0).words, "has finished");
}

TEST(Timeline, ShowsAddressesBeforeAccess)
{
    Machine machine("flow");
    const auto out = machine.buffer(std::vector<int>(32));
    Stepped stepped(machine, "nested", {{1, 1, 1}, {32, 1, 1}, 0, {*out, 32}, nullptr});
    int stores = 0;
    for (; !stepped.timeline.at_end(); stepped.timeline.step()) {
        const auto view = stepped.inspector.next_access();
        if (!view) continue;
        ++stores;
        EXPECT_EQ(view->op, trace::Op::store);
        EXPECT_EQ(view->width_bytes, 4);
        for (std::uint64_t lane = 0; lane < 32; ++lane)
            EXPECT_EQ(view->lanes[lane], out->address() + 4 * lane);
    }
    EXPECT_EQ(stores, 1);
}

TEST(Timeline, FindsWriterOfElement)
{
    Machine machine("flow");
    const auto out = machine.buffer(std::vector<int>(100));
    Stepped stepped(machine, "nested", {{2, 1, 1}, {64, 1, 1}, 0, {*out, 100}, nullptr});
    Timeline& timeline = stepped.timeline;
    timeline.go_to(the_end);
    const auto written = machine.values<int>(*out);
    for (const int element : {0, 37, 63, 64, 99}) {
        const Place place{ptx::Space::global, out->address() + 4 * static_cast<Address>(element)};
        const auto found = timeline.last_write(place, the_end);
        ASSERT_TRUE(found) << element;
        EXPECT_EQ(found->block, static_cast<std::uint64_t>(element / 64));
        EXPECT_EQ(found->warp, element % 64 / 32);
        EXPECT_EQ(found->lane, element % 32);
        EXPECT_TRUE(timeline.at_end());
        // At this position the value is not yet stored; one step later it is.
        timeline.go_to(found->position);
        int value = -1;
        ASSERT_TRUE(timeline.read(place, std::as_writable_bytes(std::span(&value, 1))));
        EXPECT_EQ(value, 0);
        timeline.step();
        ASSERT_TRUE(timeline.read(place, std::as_writable_bytes(std::span(&value, 1))));
        EXPECT_EQ(value, written[static_cast<std::size_t>(element)]);
        EXPECT_FALSE(timeline.last_write(place, found->position));
        timeline.go_to(the_end);
    }
}

TEST(Timeline, StopsBeforeFault)
{
    Machine machine("faults", {.checks = Checks::all()});
    const auto out = machine.buffer(std::vector<int>(32));
    const device::Launch launch{{1, 1, 1}, {64, 1, 1}, 0, {*out}, nullptr};
    trace::Fault fault;
    std::string kernel;
    for (const std::string& name : machine.module().kernel_names()) {
        if (machine.module().kernel(name).parameter_sizes().size() != 1) continue;
        try {
            machine.device().launch(machine.module().kernel(name), launch);
        } catch (const device::KernelFault& found) {
            fault = found.fault();
            kernel = name;
            Stepped stepped(machine, kernel.c_str(), launch);
            stepped.timeline.go_to(the_end);
            ASSERT_NE(stepped.timeline.fault(), nullptr) << kernel;
            EXPECT_EQ(stepped.timeline.fault()->kind, fault.kind) << kernel;
            const std::uint64_t at = stepped.timeline.position();
            if (at > 0) {
                stepped.timeline.back();
                EXPECT_EQ(stepped.timeline.fault(), nullptr);
                stepped.timeline.step();
            }
            EXPECT_EQ(stepped.timeline.position(), at);
            ASSERT_NE(stepped.timeline.fault(), nullptr);
        } catch (const Error&) {
        }
    }
    EXPECT_FALSE(kernel.empty());
}

TEST(Timeline, PrintsOnceOnRepeatedRuns)
{
    Machine machine("calls");
    std::string printed;
    const auto names = machine.module().kernel_names();
    machine.device().set_printer([&](std::string_view text) { printed += text; });
    const auto out = machine.buffer(std::vector<int>(64));
    Stepped stepped(machine, "recursion", {{1, 1, 1}, {64, 1, 1}, 0, {*out}, nullptr});
    stepped.timeline.go_to(the_end);
    const std::string once = printed;
    stepped.timeline.go_to(0);
    stepped.timeline.go_to(the_end);
    EXPECT_EQ(printed, once);
    EXPECT_LE(stepped.timeline.held_bytes(), std::size_t{256} << 20);
}

TEST(Timeline, RestoresMemoryUsedElsewhere)
{
    Machine machine("blocks");
    const auto in = machine.buffer(numbers(256, 1000));
    const auto out = machine.buffer(std::vector<int>(1));
    Stepped stepped(machine, "tree_sum", {{1, 1, 1}, {256, 1, 1}, 0, {*in, *out}, nullptr});
    stepped.timeline.go_to(the_end);
    const std::uint64_t end = stepped.timeline.position();
    const int sum = machine.values<int>(*out)[0];
    stepped.timeline.go_to(end / 2);
    stepped.timeline.release();
    machine.device().fill(in->address(), 1, in->bytes());
    stepped.timeline.reclaim();
    stepped.timeline.go_to(the_end);
    EXPECT_EQ(machine.values<int>(*out)[0], sum);
}

// --- Expressions ---

struct Expressed {
    Machine machine{"blocks"};
    std::unique_ptr<device::Buffer> in = machine.buffer(numbers(256, 1000));
    std::unique_ptr<device::Buffer> out = machine.buffer(std::vector<int>(1));
    std::vector<std::string> names{"in", "out"};
    Stepped stepped{machine, "tree_sum", {{1, 1, 1}, {256, 1, 1}, 0, {*in, *out}, nullptr, names}};

    std::string value(const char* text, int lane = 5)
    {
        return Expression(text).evaluate(stepped.inspector, 0).text(lane);
    }
};

TEST(Expression, FollowsCRules)
{
    Expressed e;
    EXPECT_EQ(e.value("1 + 2 * 3"), "7");
    EXPECT_EQ(e.value("(1 + 2) * 3 - -4"), "13");
    EXPECT_EQ(e.value("7 / 2"), "3");
    EXPECT_EQ(e.value("-7 % 3"), "-1");
    EXPECT_EQ(e.value("7 / 2.0"), "3.5");
    EXPECT_EQ(e.value("0.1f + 0.2f"), "0.3");
    EXPECT_EQ(e.value("1 << 4 | 3"), "19");
    EXPECT_EQ(e.value("2147483647 + 1"), "-2147483648");
    EXPECT_EQ(e.value("0xff & ~0xf"), "240");
    EXPECT_EQ(e.value("3 > 2 && 1 != 1 || !0"), "1");
    EXPECT_EQ(e.value("threadIdx.x"), "5");
    EXPECT_EQ(e.value("threadIdx.x % 2 == 1 ? 10 : 20"), "10");
    EXPECT_EQ(e.value("blockDim.x - 1u"), "255");
    EXPECT_EQ(e.value("1 / (threadIdx.x - 5)"), ""); // no value: division by zero
}

TEST(Expression, RejectsInvalidText)
{
    for (const char* text :
         {"", "1 +", "(1", "a[", "1 2", "a.", "&", "?", "1 ? 2", "0x", "1f", "@"})
        EXPECT_THROW(Expression{text}, Error) << text;
    Expressed e;
    for (const char* text : {"nobody", "1 << 0.5", "threadIdx.w", "*1", "1[2]", "%none"})
        EXPECT_THROW(Expression(text).evaluate(e.stepped.inspector, 0), Error) << text;
}

TEST(Expression, ReadsSharedArrayByName)
{
    Expressed e;
    const auto arrays = e.stepped.inspector.shared_arrays();
    ASSERT_FALSE(arrays.empty());
    EXPECT_EQ(arrays.front().name.find("_Z"), std::string::npos) << arrays.front().name;
}

} // namespace
} // namespace lanescope::simt
