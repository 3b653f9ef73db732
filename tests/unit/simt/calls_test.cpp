// Device functions, local memory, module variables, printf and assert.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::HasSubstr;

const char* const variables = R"(.version 8.0
.target sm_75
.address_size 64
.const .align 4 .u32 step = 2;
.global .align 4 .u32 counter;
.visible .entry count(.param .u64 to)
{
    .reg .u64 %rd<3>;
    .reg .u32 %r<4>;
    ld.param.u64 %rd1, [to];
    cvta.to.global.u64 %rd2, %rd1;
    ld.const.u32 %r1, [step];
    ld.global.u32 %r2, [counter];
    add.u32 %r3, %r1, %r2;
    st.global.u32 [counter], %r3;
    st.global.u32 [%rd2], %r3;
    ret;
}
)";

int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

TEST(Calls, RecursionOfDifferentDepths)
{
    Machine machine("calls");
    const auto out = machine.buffer(std::vector<int>(100));
    machine.run("recursion", {{1, 1, 1}, {100, 1, 1}, 0}, *out);
    const auto got = machine.values<int>(*out);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(got[i], fibonacci(i % 11)) << i;
}

TEST(Calls, EndlessRecursionIsAFault)
{
    Machine machine("calls");
    const auto out = machine.buffer(std::vector<int>(32));
    const trace::Fault fault = machine.fault("endless_recursion", {}, *out);
    EXPECT_EQ(fault.kind, "stack_overflow");
    EXPECT_THAT(fault.message, HasSubstr("fibonacci"));
}

TEST(Calls, DivergentFunctionPointers)
{
    Machine machine("calls");
    const auto start = numbers(64, 1000);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(64));
    machine.run("pointers", {{1, 1, 1}, {64, 1, 1}, 0}, *in, *out);
    const auto got = machine.values<int>(*out);
    for (int i = 0; i < 64; ++i) {
        const int v = start[i];
        ASSERT_EQ(got[i], v % 3 == 0 ? v + 1 : v % 3 == 1 ? v * 2 : v * v) << i;
    }
}

TEST(Calls, PartialWarpCalls)
{
    Machine machine("calls");
    const auto start = numbers(32, 1000);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(32));
    machine.run("some_call", {}, *in, *out);
    const auto got = machine.values<int>(*out);
    for (int i = 0; i < 32; ++i)
        ASSERT_EQ(got[i], start[i] % 2 ? start[i] * start[i] : start[i]) << i;
}

TEST(Calls, StructsConstantsAndInitialisedVariables)
{
    struct Mixed {
        int a;
        double b;
        char c[3];
    };
    Machine machine("calls");
    const auto out = machine.buffer(std::vector<float>(32));
    Mixed mixed{};
    mixed.a = 5;
    mixed.b = 1.5;
    mixed.c[1] = -3;
    machine.run("by_value", {}, mixed, *out);
    const auto got = machine.values<float>(*out);
    const float factors[4] = {0.5f, 2.0f, 4.0f, 8.0f};
    for (int i = 0; i < 32; ++i)
        ASSERT_EQ(got[i], static_cast<float>(5 + i + 1.5 * factors[i & 3] - 3) +
                              static_cast<float>((i & 3) + 1) + 1)
            << i;
}

TEST(Calls, LocalArraysArePerThread)
{
    Machine machine("calls");
    const auto start = numbers(64, 1000);
    const auto in = machine.buffer(start);
    const auto out = machine.buffer(std::vector<int>(64));
    machine.run("local_array", {{1, 1, 1}, {64, 1, 1}, 0}, *in, *out);
    const auto got = machine.values<int>(*out);
    for (int t = 0; t < 64; ++t) {
        const int k = start[t] % 16;
        ASSERT_EQ(got[t], start[k] * t + 1000 + start[3] * t + (k == 3 ? 1000 : 0)) << t;
    }
}

TEST(Calls, PrintsInOrder)
{
    Machine machine("calls");
    std::string text;
    machine.device().set_printer([&](std::string_view more) { text += more; });
    machine.run("speak", {}, 2);
    EXPECT_EQ(text, "thread 0 says  0.00 and words c 1099511627776 ff%\n"
                    "thread 1 says  0.50 and words c 1099511627776 ff%\n");
}

TEST(Calls, AssertionsAndTrapsAreFaults)
{
    Machine machine("calls");
    const auto in = machine.buffer(numbers(64, 31));
    const trace::Fault failed = machine.fault("insist", {{1, 1, 1}, {64, 1, 1}, 0}, *in);
    EXPECT_EQ(failed.kind, "assertion");
    EXPECT_THAT(failed.message, HasSubstr("in[threadIdx.x] < 30"));
    const trace::Fault trapped = machine.fault("give_up", {}, 17);
    EXPECT_EQ(trapped.kind, "trap");
    EXPECT_EQ(trapped.thread.x, 17u);
}

TEST(Calls, HostAccessesModuleVariables)
{
    const auto device = make_device();
    const auto module = device->load(variables);
    const auto out = device->allocate(4);
    const device::Variable step = module->variable("step");
    const device::Variable counter = module->variable("counter");
    EXPECT_EQ(step.bytes, 4u);
    EXPECT_EQ(device::download<unsigned>(*device, step.address, 1)[0], 2u);
    device::upload<unsigned>(*device, step.address, std::vector{5u});
    device::upload<unsigned>(*device, counter.address, std::vector{100u});
    for (int i = 0; i < 2; ++i)
        device->launch(module->kernel("count"),
                       {.grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = {*out}});
    EXPECT_EQ(device::download<unsigned>(*device, out->address(), 1)[0], 110u);
    EXPECT_EQ(device::download<unsigned>(*device, counter.address, 1)[0], 110u);
    EXPECT_THROW(module->variable("nosuch"), Error);
}

} // namespace
} // namespace lanescope::simt
