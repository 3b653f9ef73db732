// Atomics, and results that do not depend on the number of cores.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compute/simt/simt_module.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

TEST(Atomics, Histograms)
{
    Machine machine("atomics");
    std::vector<unsigned> start(5000);
    std::vector<unsigned> want(16);
    const auto seeds = numbers(start.size(), 1 << 20);
    for (std::size_t i = 0; i < start.size(); ++i) {
        start[i] = static_cast<unsigned>(seeds[i]);
        ++want[start[i] % 16];
    }
    const auto in = machine.buffer(start);
    for (const char* kernel : {"histogram", "histogram_shared"}) {
        const auto bins = machine.buffer(std::vector<unsigned>(16));
        machine.run(kernel, {{40, 1, 1}, {128, 1, 1}, 0}, *in, *bins, 5000);
        EXPECT_EQ(machine.values<unsigned>(*bins), want) << kernel;
    }
}

TEST(Atomics, AllOperationsOnOneWarp)
{
    Machine machine("atomics");
    const auto s = machine.buffer(std::vector<int>{100, -100, 5});
    std::vector<unsigned> start(104);
    start[0] = ~0u;
    start[4] = 2;
    const auto u = machine.buffer(start);
    const auto w = machine.buffer(std::vector<unsigned long long>(2));
    const auto d = machine.buffer(std::vector<double>{1});
    machine.run("all_kinds", {}, *s, *u, *w, *d);
    EXPECT_EQ(machine.values<int>(*s), (std::vector<int>{-31, 93, 5 - 496}));
    const auto got = machine.values<unsigned>(*u);
    EXPECT_EQ(got[0], 0u);
    EXPECT_EQ(got[1], 0xffffu);
    EXPECT_EQ(got[2], 0u);
    EXPECT_EQ(got[3], 2u); // 32 increments that wrap from 9 to 0
    unsigned down = 2;
    for (unsigned t = 0; t < 32; ++t) {
        EXPECT_EQ(got[8 + t], t % 10);
        EXPECT_EQ(got[40 + t], down);
        down = down == 0 ? 4 : down - 1;
        EXPECT_EQ(got[72 + t], t == 0 ? 0 : t - 1);
    }
    EXPECT_EQ(got[5], 31u);
    EXPECT_EQ(got[6], 32u);
    EXPECT_EQ(machine.values<unsigned long long>(*w),
              (std::vector<unsigned long long>{32ull << 33, 31ull << 40}));
    EXPECT_EQ(machine.values<double>(*d)[0], 9);
}

TEST(Atomics, ResultsAreIndependentOfCoreCount)
{
    std::vector<std::vector<int>> orders;
    std::vector<float> sums;
    for (int threads : {1, 2, 5}) {
        Options options;
        options.threads = threads;
        Machine machine("atomics", options);
        const auto next = machine.buffer(std::vector<int>(1));
        const auto out = machine.buffer(std::vector<int>(4096));
        machine.run("places", {{32, 1, 1}, {128, 1, 1}, 0}, *next, *out);
        orders.push_back(machine.values<int>(*out));
        std::vector<float> start(4096);
        const auto seeds = numbers(4096, 100000);
        for (int i = 0; i < 4096; ++i) start[i] = static_cast<float>(seeds[i]) * 0.1f;
        const auto in = machine.buffer(start);
        const auto sum = machine.buffer(std::vector<float>(1));
        machine.run("float_sum", {{32, 1, 1}, {128, 1, 1}, 0}, *in, *sum, 4096);
        sums.push_back(machine.values<float>(*sum)[0]);
    }
    EXPECT_EQ(orders[0], orders[1]);
    EXPECT_EQ(orders[0], orders[2]);
    EXPECT_EQ(sums[0], sums[1]);
    EXPECT_EQ(sums[0], sums[2]);
}

// True if the machine runs the blocks of a kernel with these reductions on *p in order.
bool runs_in_order(std::string_view reductions)
{
    const auto device = make_device();
    const auto module = device->load(fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [p];
    mov.u32 %r0, %tid.x;
    {}
    ret;
}}
)",
                                                 reductions));
    return dynamic_cast<const SimtKernel&>(module->kernel("k")).program().ordered;
}

TEST(Atomics, OnlyCommutativeReductionsRunUnordered)
{
    EXPECT_FALSE(runs_in_order("red.global.min.s32 [%rd0], %r0; red.global.min.s32 [%rd0+4], 1;"));
    EXPECT_FALSE(runs_in_order("red.global.add.s32 [%rd0], %r0; red.global.add.u32 [%rd0], 1;"));
    EXPECT_TRUE(runs_in_order("red.global.min.s32 [%rd0], %r0; red.global.min.u32 [%rd0], 1;"));
    EXPECT_TRUE(runs_in_order("red.global.add.u32 [%rd0], %r0; red.global.add.u64 [%rd0], 1;"));
}

// If an f32 sum is NaN, it is the canonical NaN, whatever the operands.
TEST(Atomics, NanSumsAreCanonical)
{
    auto machine = Machine::from_text(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .f32 %f<2>;
    .reg .b64 %rd<2>;
    .shared .align 4 .f32 cell;
    ld.param.u64 %rd0, [p];
    ld.global.f32 %f0, [%rd0+8];
    st.shared.f32 [cell], %f0;
    red.global.add.f32 [%rd0], 0fFFC12345;
    red.global.add.f32 [%rd0+4], 0fFF800000;
    atom.shared.add.f32 %f1, [cell], 0f3F800000;
    ld.shared.f32 %f1, [cell];
    st.global.f32 [%rd0+8], %f1;
    ret;
}
)");
    const auto cells =
        machine.buffer(std::vector<std::uint32_t>{0x3f800000, 0x7f800000, 0xffc00001});
    machine.run("k", {{1, 1, 1}, {1, 1, 1}, 0}, *cells);
    EXPECT_EQ(machine.values<std::uint32_t>(*cells),
              (std::vector<std::uint32_t>{0x7fffffff, 0x7fffffff, 0x7fffffff}));
}

} // namespace
} // namespace lanescope::simt
