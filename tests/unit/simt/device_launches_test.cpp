// Kernels that launch kernels: order, arguments, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compute/simt/simt_device.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

// As compiled by nvcc: `append` appends its value to a list; `parent` launches it as a tail launch
// (1), in the block's stream (2), as fire-and-forget (3), and appends 4 itself; `deep` launches
// itself as long as that is accepted.
const char* const text = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 k, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2GetLastError();
.visible .entry append(.param .u64 list, .param .u32 value)
{
    .reg .u64 %rd<5>;
    .reg .u32 %r<4>;
    ld.param.u64 %rd1, [list];
    ld.param.u32 %r1, [value];
    ld.global.u32 %r2, [%rd1];
    add.u32 %r3, %r2, 1;
    st.global.u32 [%rd1], %r3;
    mul.wide.u32 %rd2, %r3, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
}
.func (.param .b32 e) start(.param .b64 list, .param .b32 value, .param .b32 threads, .param .b64 stream)
{
    .reg .u64 %rd<5>;
    .reg .u32 %r<4>;
    .reg .pred %p<2>;
    ld.param.b64 %rd1, [list];
    ld.param.b32 %r1, [value];
    ld.param.b32 %r2, [threads];
    ld.param.b64 %rd2, [stream];
    mov.u64 %rd3, append;
    {
    .param .b64 a;
    st.param.b64 [a], %rd3;
    .param .align 4 .b8 g[12];
    st.param.b32 [g], 1;
    st.param.b32 [g+4], 1;
    st.param.b32 [g+8], 1;
    .param .align 4 .b8 b[12];
    st.param.b32 [b], %r2;
    st.param.b32 [b+4], 1;
    st.param.b32 [b+8], 1;
    .param .b32 s;
    st.param.b32 [s], 0;
    .param .b64 q;
    call.uni (q), __cudaCDP2GetParameterBufferV2, (a, g, b, s);
    ld.param.b64 %rd4, [q];
    }
    st.u64 [%rd4], %rd1;
    st.u32 [%rd4+8], %r1;
    {
    .param .b64 a;
    st.param.b64 [a], %rd4;
    .param .b64 s;
    st.param.b64 [s], %rd2;
    .param .b32 q;
    call.uni (q), __cudaCDP2LaunchDeviceV2, (a, s);
    ld.param.b32 %r3, [q];
    }
    st.param.b32 [e], %r3;
    ret;
}
.visible .entry parent(.param .u64 list)
{
    .reg .u64 %rd<5>;
    .reg .u32 %r<9>;
    ld.param.u64 %rd1, [list];
    { .param .b64 l; st.param.b64 [l], %rd1; .param .b32 v; st.param.b32 [v], 1; .param .b32 t; st.param.b32 [t], 1;
      .param .b64 s; st.param.b64 [s], 3; .param .b32 q; call.uni (q), start, (l, v, t, s); ld.param.b32 %r1, [q]; }
    { .param .b64 l; st.param.b64 [l], %rd1; .param .b32 v; st.param.b32 [v], 2; .param .b32 t; st.param.b32 [t], 1;
      .param .b64 s; st.param.b64 [s], 0; .param .b32 q; call.uni (q), start, (l, v, t, s); ld.param.b32 %r2, [q]; }
    { .param .b64 l; st.param.b64 [l], %rd1; .param .b32 v; st.param.b32 [v], 3; .param .b32 t; st.param.b32 [t], 1;
      .param .b64 s; st.param.b64 [s], 4; .param .b32 q; call.uni (q), start, (l, v, t, s); ld.param.b32 %r3, [q]; }
    ld.global.u32 %r4, [%rd1];
    add.u32 %r4, %r4, 1;
    st.global.u32 [%rd1], %r4;
    mul.wide.u32 %rd2, %r4, 4;
    add.u64 %rd3, %rd1, %rd2;
    mov.u32 %r5, 4;
    st.global.u32 [%rd3], %r5;
    ret;
}
.visible .entry wrong(.param .u64 list)
{
    .reg .u64 %rd<5>;
    .reg .u32 %r<9>;
    ld.param.u64 %rd1, [list];
    { .param .b64 l; st.param.b64 [l], %rd1; .param .b32 v; st.param.b32 [v], 1; .param .b32 t; st.param.b32 [t], 2048;
      .param .b64 s; st.param.b64 [s], 0; .param .b32 q; call.uni (q), start, (l, v, t, s); ld.param.b32 %r1, [q]; }
    st.global.u32 [%rd1+4], %r1;
    { .param .b32 q; call.uni (q), __cudaCDP2GetLastError, (); ld.param.b32 %r2, [q]; }
    st.global.u32 [%rd1+8], %r2;
    { .param .b32 q; call.uni (q), __cudaCDP2GetLastError, (); ld.param.b32 %r3, [q]; }
    st.global.u32 [%rd1+12], %r3;
    ret;
}
.visible .entry deep(.param .u64 list)
{
    .reg .u64 %rd<5>;
    .reg .u32 %r<9>;
    ld.param.u64 %rd1, [list];
    ld.global.u32 %r1, [%rd1];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    mov.u64 %rd3, deep;
    {
    .param .b64 a;
    st.param.b64 [a], %rd3;
    .param .align 4 .b8 g[12];
    st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
    .param .align 4 .b8 b[12];
    st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
    .param .b32 s;
    st.param.b32 [s], 0;
    .param .b64 q;
    call.uni (q), __cudaCDP2GetParameterBufferV2, (a, g, b, s);
    ld.param.b64 %rd4, [q];
    }
    st.u64 [%rd4], %rd1;
    {
    .param .b64 a;
    st.param.b64 [a], %rd4;
    .param .b64 s;
    st.param.b64 [s], 0;
    .param .b32 q;
    call.uni (q), __cudaCDP2LaunchDeviceV2, (a, s);
    ld.param.b32 %r2, [q];
    }
    st.global.u32 [%rd1+4], %r2;
    ret;
}
)";

std::vector<std::uint32_t> after(const char* kernel)
{
    const auto device = make_device({.threads = 2, .checks = Checks::all()});
    const auto list = device->allocate(8 * sizeof(std::uint32_t));
    device->fill(list->address(), 0, list->bytes());
    const auto module = device->load(text);
    device->launch(module->kernel(kernel), {.arguments = {*list}});
    return device::download<std::uint32_t>(*device, list->address(), 8);
}

TEST(DeviceLaunches, RunAfterParentGridWithTailLaunchesLast)
{
    EXPECT_THAT(after("parent"), testing::ElementsAre(4, 4, 2, 3, 1, 0, 0, 0));
}

TEST(DeviceLaunches, RefusalSetsErrorClearedOnRead)
{
    EXPECT_THAT(after("wrong"), testing::ElementsAre(0, 9, 9, 0, 0, 0, 0, 0));
}

TEST(DeviceLaunches, ChainsStayPendingUntilEnd)
{
    // The host's grid and 2048 nested ones, as on an H100; the launch by the last grid is refused.
    const auto list = after("deep");
    EXPECT_EQ(list[0], 2049u);
    EXPECT_EQ(list[1], 69u);
}

// Counts of a launch, with a map of the list's writers.
struct Counted {
    trace::Trace trace;
    std::vector<std::uint32_t> list;
};

Counted counted(const char* kernel, std::size_t pending = 2048)
{
    const auto device = make_device({.threads = 2, .checks = Checks::all()});
    const auto list = device->allocate(8 * sizeof(std::uint32_t));
    device->fill(list->address(), 0, list->bytes());
    const auto module = device->load(text);
    Counted made;
    made.trace.footprint.address = list->address();
    made.trace.footprint.bytes = list->bytes();
    device->launch(module->kernel(kernel),
                   {.arguments = {*list}, .trace = &made.trace, .pending_launches = pending});
    made.list = device::download<std::uint32_t>(*device, list->address(), 8);
    return made;
}

TEST(DeviceLaunches, CountsBelongToTheirLaunch)
{
    const trace::Trace trace = counted("parent").trace;
    EXPECT_EQ(trace.kernel, "parent");
    EXPECT_EQ(trace.device_launches, 3u);
    EXPECT_EQ(trace.totals().device_launches, 3u);
    ASSERT_EQ(trace.sites.size(), trace.counts.size() / 2) << "some are generic";
    // `append` stores the list's length and its value; `parent` itself also stores both, once.
    std::uint64_t appended = 0;
    for (std::size_t i = 0; i < trace.sites.size(); ++i)
        if (trace.sites[i].function == "append" && trace.sites[i].op == trace::Op::store)
            appended += trace.counts[i].executions;
    EXPECT_EQ(appended, 2u * 3);
    EXPECT_EQ(trace.totals().global_store.executions, 2u * 4 + 2u * 3) << "3 parameter buffers";

    ASSERT_EQ(trace.warps.size(), 1u + 3u);
    std::uint64_t instructions = 0;
    for (const trace::WarpCounts& warp : trace.warps) instructions += warp.warp_instructions;
    EXPECT_EQ(trace.warp_instructions, instructions);
    EXPECT_EQ(trace.warps[1].warp_instructions, 9u) << "of append";
    // Writers of the list in order: the parent's 4, the children's 2 and 3, the tail's 1.
    EXPECT_THAT(trace.footprint.owners, testing::ElementsAre(4, 1, 2, 3, 4, 0, 0, 0));
}

TEST(DeviceLaunches, WarpsFollowThoseOfParentGrid)
{
    const auto device = make_device({.threads = 1});
    const auto list = device->allocate(8 * sizeof(std::uint32_t));
    device->fill(list->address(), 0, list->bytes());
    const auto module = device->load(text);
    trace::Trace trace;
    device->launch(module->kernel("parent"), {.arguments = {*list}, .trace = &trace});
    const auto stores = [&](const trace::Site& site) {
        return site.function == "append" && site.ptx.starts_with("st.global.u32 [%rd3]");
    };
    const auto site = std::ranges::find_if(trace.sites, stores) - trace.sites.begin();
    trace.request.site = static_cast<int>(site);
    trace.request.warp = 2; // of the second child grid
    device->fill(list->address(), 0, list->bytes());
    device->launch(module->kernel("parent"), {.arguments = {*list}, .trace = &trace});
    EXPECT_EQ(trace.request.seen, 1u);
    EXPECT_EQ(trace.request.active, 1u);
    EXPECT_EQ(trace.request.addresses[0], list->address() + 4 * 3);
}

TEST(DeviceLaunches, UncheckedRefusalIsReported)
{
    const Counted two = counted("parent", 2);
    EXPECT_THAT(two.list, testing::ElementsAre(3, 4, 2, 1, 0, 0, 0, 0));
    EXPECT_EQ(two.trace.device_launches, 2u);
    ASSERT_EQ(two.trace.faults.size(), 1u);
    EXPECT_EQ(two.trace.faults[0].kind, lost_launch);
    EXPECT_THAT(
        two.trace.faults[0].message,
        testing::AllOf(testing::HasSubstr("launches append, which is rejected with "
                                          "cudaErrorLaunchPendingCountExceeded: 2 launches"),
                       testing::HasSubstr("thread (0, 0, 0) of block (0, 0, 0)")));
    EXPECT_TRUE(counted("parent", 3).trace.faults.empty());
    EXPECT_TRUE(counted("wrong").trace.faults.empty()) << "it asks";

    const trace::Trace deep = counted("deep").trace;
    EXPECT_EQ(deep.device_launches, 2048u);
    ASSERT_EQ(deep.faults.size(), 1u);
    EXPECT_THAT(deep.faults[0].message, testing::HasSubstr("2048 launches are pending already"));
    EXPECT_THAT(deep.faults[0].message, testing::HasSubstr("of deep."));
}

TEST(DeviceLaunches, FaultsNameParentLaunch)
{
    const auto device = make_device({.threads = 1});
    const auto list = device->allocate(2 * sizeof(std::uint32_t)); // the length and one value
    device->fill(list->address(), 0, list->bytes());
    const auto module = device->load(text);
    trace::Trace trace;
    try {
        device->launch(module->kernel("parent"), {.arguments = {*list}, .trace = &trace});
        FAIL() << "it stores past the end";
    } catch (const device::KernelFault& found) {
        EXPECT_EQ(found.fault().kind, "out_of_bounds");
        EXPECT_EQ(found.fault().kernel, "append");
        EXPECT_THAT(found.fault().message,
                    testing::HasSubstr("It was launched from the device, by thread (0, 0, 0) of "
                                       "block (0, 0, 0) of parent."));
        ASSERT_EQ(trace.faults.size(), 1u);
        EXPECT_EQ(trace.faults[0].message, found.fault().message);
    }
    EXPECT_EQ(trace.device_launches, 1u) << "what ran until then counts";
}

} // namespace
} // namespace lanescope::simt
