// Device heap, and synchronisation beyond block barriers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::HasSubstr;

const Machine::Shape one_thread{{1, 1, 1}, {1, 1, 1}, 0};

TEST(Heap, PersistsAcrossLaunches)
{
    Machine machine("heap");
    const auto count = machine.buffer(std::vector<int>{-1});
    const auto shelf = machine.buffer(std::vector<std::uint64_t>(32));
    const auto out = machine.buffer(std::vector<int>(32));
    machine.run("kept", {}, *shelf, *out, 0);
    machine.run("kept", {}, *shelf, *out, 1);
    const auto values = machine.values<int>(*out);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(values[i], 3 * i);
    machine.run("until_empty", one_thread, *count);
    EXPECT_EQ(machine.values<int>(*count)[0], 8);
}

// A checked launch saves what it may have to restore, including heap allocations that an earlier
// kernel left.
TEST(Heap, LeftoversAreCheckedByNextLaunch)
{
    Options options;
    options.checks = Checks::all();
    Machine machine("heap", options);
    const auto shelf = machine.buffer(std::vector<std::uint64_t>(32));
    const auto out = machine.buffer(std::vector<int>(32));
    machine.run("kept", {}, *shelf, *out, 0);
    const auto reader = machine.device().load(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry double_it(.param .u64 shelf, .param .u64 out)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    mov.u32 %r0, %tid.x;
    ld.param.u64 %rd0, [shelf];
    mad.wide.u32 %rd0, %r0, 8, %rd0;
    ld.global.u64 %rd1, [%rd0];
    ld.global.u32 %r1, [%rd1];
    add.u32 %r1, %r1, %r1;
    st.global.u32 [%rd1], %r1;
    ld.param.u64 %rd2, [out];
    mad.wide.u32 %rd2, %r0, 4, %rd2;
    st.global.u32 [%rd2], %r1;
    ret;
}
)");
    machine.device().launch(reader->kernel("double_it"),
                            {{1, 1, 1}, {32, 1, 1}, 0, {*shelf, *out}, nullptr});
    const auto values = machine.values<int>(*out);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(values[i], 6 * i);
}

TEST(Heap, MisuseIsReported)
{
    Machine machine("heap");
    const auto out = machine.buffer(std::vector<int>(4));
    const trace::Fault after = machine.fault("after_free", one_thread, *out);
    EXPECT_EQ(after.kind, "out_of_bounds");
    EXPECT_THAT(after.message, HasSubstr("allocation 1 of the device heap, which has been freed"));
    const trace::Fault twice = machine.fault("twice", one_thread, *out);
    EXPECT_EQ(twice.kind, "bad_free");
    EXPECT_THAT(twice.message, HasSubstr("a second time"));
    EXPECT_THAT(machine.fault("free_host_memory", one_thread, *out).message,
                HasSubstr("which malloc did not return"));
    EXPECT_THAT(machine.fault("past_the_end", one_thread, *out).message,
                HasSubstr("just past the end of allocation 3 of the device heap (40 bytes)"));
}

constexpr std::string_view head = ".version 8.0\n.target sm_90\n.address_size 64\n";

// One thread per block increments a counter and waits until all have; the counter is in memory that
// every cooperative launch provides.
TEST(Cooperation, GridBarrierSynchronisesMoreBlocksThanFit)
{
    auto machine = Machine::from_text(std::string(head) + R"(
.visible .entry k(.param .u64 out)
{
    .reg .b32 %low, %high, %i, %n, %old;
    .reg .b64 %p, %out;
    .reg .pred %wait;
    ld.param.u64 %out, [out];
    mov.u32 %high, %envreg1;
    mov.u32 %low, %envreg2;
    mov.b64 %p, {%low, %high};
    mov.u32 %i, %ctaid.x;
    mov.u32 %n, %nctaid.x;
    atom.add.release.gpu.u32 %old, [%p+4], 1;
AGAIN:
    ld.acquire.gpu.u32 %old, [%p+4];
    setp.lt.u32 %wait, %old, %n;
    @%wait bra AGAIN;
    mad.wide.u32 %out, %i, 4, %out;
    st.global.u32 [%out], %old;
    ret;
}
)");
    const auto out = machine.buffer(std::vector<unsigned>(3000));
    for (int launch = 0; launch < 2; ++launch) {
        machine.run("k", {{3000, 1, 1}, {1, 1, 1}, 0}, *out);
        EXPECT_EQ(machine.values<unsigned>(*out), std::vector<unsigned>(3000, 3000u));
    }
}

TEST(Cooperation, BarrierObjectsAreChecked)
{
    const auto fault_of = [&](std::string_view body) {
        auto machine = Machine::from_text(std::string(head) + R"(
.visible .entry k()
{
    .reg .b64 %state;
    .reg .pred %p;
    .shared .align 8 .b64 object;
)" + std::string(body) + "    ret;\n}\n");
        return machine.fault("k", one_thread);
    };
    EXPECT_THAT(fault_of("mbarrier.arrive.shared.b64 %state, [object];").message,
                HasSubstr("mbarrier.init has not initialised"));
    EXPECT_THAT(fault_of("mbarrier.init.shared.b64 [object], 0;").message, HasSubstr("1 to"));
    EXPECT_THAT(fault_of("mbarrier.init.shared.b64 [object], 2;\n"
                         "mbarrier.arrive.shared.b64 %state, [object], 3;")
                    .message,
                HasSubstr("arrives 3 times at an mbarrier that waits for 2 more"));
    EXPECT_EQ(fault_of("mbarrier.init.shared.b64 [object], 1;\n"
                       "mbarrier.arrive.shared.b64 %state, [object];\n"
                       "mbarrier.test_wait.shared.b64 %p, [object], %state;\n"
                       "@!%p trap;\nmbarrier.inval.shared.b64 [object];\n")
                  .kind,
              "none");
}

// A matrix product needs all lanes of a warp; they may reach the instruction on different paths.
TEST(Cooperation, MatrixProductsNeedFullWarp)
{
    auto machine = Machine::from_text(std::string(head) + R"(
.visible .entry k(.param .u64 out)
{
    .reg .b32 %i, %a<4>, %b<2>;
    .reg .f32 %c<4>, %d<4>;
    .reg .b64 %out;
    .reg .pred %p;
    ld.param.u64 %out, [out];
    mov.u32 %i, %tid.x;
    mov.b32 %a0, 0x3c003c00;
    mov.b32 %b0, 0x40004000;
    mov.f32 %c0, 0f3F800000;
    setp.lt.u32 %p, %i, 7;
    @%p add.u32 %b0, %b0, 0;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a0, %a0, %a0},
        {%b0, %b0}, {%c0, %c0, %c0, %c0};
    mad.wide.u32 %out, %i, 4, %out;
    st.global.f32 [%out], %d2;
    ret;
}
)");
    const auto out = machine.buffer(std::vector<float>(32));
    machine.run("k", {}, *out);
    EXPECT_EQ(machine.values<float>(*out), std::vector<float>(32, 33.0f));
}

// The first two of each register's four products are summed before the others, and the addend is
// added last and rounded: each of the first two is 2^30 or its negative, the others are 1.5 times
// 2^-28, and 16 of these round 1 up.
TEST(Cooperation, EightBitProductsEqualTwoSixteenBitOnes)
{
    auto machine = Machine::from_text(R"(.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %i, %a, %b, %c, %e<2>;
    .reg .f32 %f, %d<4>;
    .reg .b64 %out;
    ld.param.u64 %out, [out];
    mov.b32 %a, 0x0606f878;
    mov.b32 %b, 0x04047878;
    mov.f32 %f, 0f3F800000;
    mov.b32 %c, 0x3c003c00;
    mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 {%d0, %d1, %d2, %d3}, {%a, %a, %a, %a},
        {%b, %b}, {%f, %f, %f, %f};
    mov.b32 %a, 0x38b83838;
    mov.b32 %b, 0x3c3c3c3c;
    mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16 {%e0, %e1}, {%a, %a}, {%b}, {%c, %c};
    mov.u32 %i, %tid.x;
    mad.wide.u32 %out, %i, 8, %out;
    st.global.f32 [%out], %d3;
    st.global.b32 [%out+4], %e1;
    ret;
}
)");
    const auto out = machine.buffer(std::vector<std::uint32_t>(64));
    machine.run("k", {}, *out);
    const auto values = machine.values<std::uint32_t>(*out);
    for (std::size_t lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(values[2 * lane], 0x3f800001u);
        EXPECT_EQ(values[2 * lane + 1], 0x48804880u); // 1 + 4 (1 + 1 - 1 + 1)
    }
}

} // namespace
} // namespace lanescope::simt
