// Kernels that launch kernels: their order, what they are given, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compute/simt/simt_device.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

// As nvcc writes them: `append` adds its value as the next of a list, `parent` launches it as the
// tail (1), in the block's stream (2), apart from all streams (3), and appends 4 itself; `deep`
// launches itself as long as that is accepted.
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

TEST(DeviceLaunches, RunWhenTheirGridHasEndedAndTailsLast)
{
    EXPECT_THAT(after("parent"), testing::ElementsAre(4, 4, 2, 3, 1, 0, 0, 0));
}

TEST(DeviceLaunches, RefusedOnesLeaveAnErrorThatIsForgottenOnceAskedFor)
{
    EXPECT_THAT(after("wrong"), testing::ElementsAre(0, 9, 9, 0, 0, 0, 0, 0));
}

TEST(DeviceLaunches, HaveADepth)
{
    // The grid of the host and 24 below it; the deepest one's launch was refused last.
    const auto list = after("deep");
    EXPECT_EQ(list[0], 25u);
    EXPECT_EQ(list[1], 65u);
}

} // namespace
} // namespace lanescope::simt
