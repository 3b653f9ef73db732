// A reduction that is not part of any lab: records it while the machine runs, and checks its tree.
#include "compute/trace/exchange.h"

#include <gtest/gtest.h>

#include "compute/simt/simt_device.h"

namespace lanescope::simt {
namespace {

// Sums 64 numbers: thread t adds the value of thread 63 - t, then 32 threads form a butterfly.
constexpr const char* own_reduction = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry own(.param .u64 numbers, .param .u64 sum)
{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %d<6>;
    .reg .f32 %f<8>;
    .shared .align 4 .b8 part[256];
    mov.u32 %r1, %tid.x;
    ld.param.u64 %d1, [numbers];
    ld.param.u64 %d2, [sum];
    mul.wide.u32 %d3, %r1, 4;
    add.s64 %d4, %d1, %d3;
    ld.global.f32 %f1, [%d4];
    mov.u32 %r2, part;
    shl.b32 %r3, %r1, 2;
    add.s32 %r4, %r2, %r3;
    st.shared.f32 [%r4], %f1;
    bar.sync 0;
    setp.gt.u32 %p1, %r1, 31;
    @%p1 bra done;
    sub.s32 %r5, 252, %r3;
    add.s32 %r6, %r2, %r5;
    ld.shared.f32 %f2, [%r6];
    add.f32 %f1, %f1, %f2;
    mov.u32 %r7, 1;
again:
    mov.b32 %r8, %f1;
    shfl.sync.bfly.b32 %r9|%p2, %r8, %r7, 31, -1;
    mov.b32 %f3, %r9;
    add.f32 %f1, %f1, %f3;
    shl.b32 %r7, %r7, 1;
    setp.lt.u32 %p3, %r7, 32;
    @%p3 bra again;
    st.global.f32 [%d2], %f1;
done:
    ret;
}
)";

trace::LaneRecording recorded(int threads, Options options, std::size_t max_recorded)
{
    options.threads = threads;
    const auto device = make_device(options);
    const auto numbers = device->allocate(64 * 4 * 8);
    const auto sum = device->allocate(4);
    device->upload(numbers->address(), std::vector<std::byte>(64 * 4 * 8));
    const auto module = device->load(own_reduction);
    trace::Trace trace;
    trace.lanes = {.block = 5, .max_events = max_recorded};
    device->launch(
        module->kernel("own"),
        {.grid = {8, 1, 1}, .block = {64, 1, 1}, .arguments = {*numbers, *sum}, .trace = &trace});
    return trace.lanes;
}

TEST(Recording, ShowsTreeOfAnyReduction)
{
    for (const int threads : {1, 2})
        for (const Checks& checks : {Checks{}, Checks::all()}) {
            Options options;
            options.checks = checks;
            options.checks.races = false; // All blocks store the sum in the same element.
            const trace::LaneRecording recording = recorded(threads, options, 1000);
            EXPECT_TRUE(recording.complete);
            const trace::Exchange tree = exchange_of(recording);
            ASSERT_EQ(tree.threads, 64);
            ASSERT_EQ(tree.rows.size(), 6u);
            ASSERT_EQ(tree.rows[0].handed.size(), 32u);
            for (const trace::PassedValue& handed : tree.rows[0].handed) {
                EXPECT_EQ(handed.from, 63 - handed.to);
                EXPECT_TRUE(handed.used);
            }
            for (int row = 1; row < 6; ++row) {
                const trace::ExchangeRow& butterfly = tree.rows[static_cast<std::size_t>(row)];
                ASSERT_EQ(butterfly.handed.size(), 32u);
                for (const trace::PassedValue& handed : butterfly.handed) {
                    EXPECT_EQ(handed.from, handed.to ^ 1 << (row - 1));
                    EXPECT_EQ(handed.from_row, row);
                    EXPECT_TRUE(handed.used);
                }
                EXPECT_EQ(butterfly.active[1], 0u) << "the second warp has left";
            }
            EXPECT_EQ(tree.loaded, std::vector<std::uint32_t>(64, 1));
        }
}

TEST(Recording, StopsAtFullDisk)
{
    const trace::LaneRecording recording = recorded(1, {}, 4);
    EXPECT_FALSE(recording.complete);
    EXPECT_EQ(recording.events.size(), 4u);
    EXPECT_EQ(recorded(1, {}, 0).events.size(), 0u);
}

} // namespace
} // namespace lanescope::simt
