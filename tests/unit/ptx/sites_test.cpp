// Source lines of instructions, and the list of sites that both engines use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compute/error.h"
#include "compute/ptx/sites/sites.h"
#include "compute/ptx/text/lines.h"
#include "tests/unit/ptx/texts.h"

namespace lanescope::ptx {
namespace {

using testing::HasSubstr;
using trace::Op;

TEST(Lines, PathsAreRepositoryRelative)
{
    EXPECT_EQ(normalised_path("/home/me/lanescope/compute/labs/heat/naive.cu"),
              "compute/labs/heat/naive.cu");
    EXPECT_EQ(normalised_path("/build/../x/kernel.cu"), "/x/kernel.cu");
    EXPECT_EQ(normalised_path("mine.cu"), "mine.cu");
}

TEST(Lines, InlinedFunctions)
{
    const Module module = parse(compiled("warps"));
    const Function* kernel = module.find_function("groups");
    std::size_t longest = 0;
    for (const Instruction& instruction : kernel->instructions) {
        const SourceLine line = source_line(module, instruction);
        if (line.chain.empty()) continue;
        EXPECT_EQ(line.file, "tests/unit/ptx/kernels/warps.cu");
        EXPECT_GE(line.line, 6);
        EXPECT_LE(line.line, 18);
        longest = std::max(longest, line.chain.size());
        if (line.chain.size() > 1) {
            EXPECT_FALSE(line.chain.front().function.empty());
            EXPECT_TRUE(line.chain.back().function.empty());
        }
    }
    EXPECT_GT(longest, 2u);
}

// Code inlined from functions in the kernel's own file counts at its own line; code from headers
// counts at the line of the call.
TEST(Lines, InlinedCodeUsesInnermostLineOfFile)
{
    const Module module = parse(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k()
{
    .reg .b32 %r<2>;
    .loc 1 20 5
    mov.u32 %r1, 1;
    .loc 1 7 3, function_name $name, inlined_at 1 20 5
    mov.u32 %r1, 2;
    .loc 2 99 3, function_name $name, inlined_at 1 7 3
    mov.u32 %r1, 3;
    ret;
}
.file 1 "mine.cu"
.file 2 "/usr/include/theirs.h"
.section .debug_str
{
$name:
.b8 102
.b8 0
}
)");
    const Function& kernel = *module.find_function("k");
    const auto line = [&](int instruction) {
        return source_line(module, kernel.instructions[instruction]);
    };
    EXPECT_EQ(line(0).line, 20);
    EXPECT_EQ(line(1).line, 7);
    EXPECT_EQ(line(2).line, 7);
    EXPECT_EQ(line(2).file, "mine.cu");
    EXPECT_EQ(line(2).chain.size(), 3u);
}

TEST(Sites, IncludeConstantLoadsButNotParameters)
{
    const Module module =
        parse_body("ld.param.u64 %rd1, [data]; ld.const.v2.u32 {%r1, %r2}, [%rd1];\n"
                   "ret;");
    const SiteList list = sites_of(module, "k");
    ASSERT_EQ(list.sites.size(), 1u);
    EXPECT_EQ(list.sites[0].space, trace::Space::constant);
    EXPECT_EQ(list.sites[0].width_bytes, 8);
}

TEST(Sites, FollowTextOrder)
{
    const Module module =
        parse_body("ld.param.u64 %rd1, [data]; ld.global.v2.f32 {%f1, %f2}, [%rd1];\n"
                   "@%p1 st.shared.u8 [%r1], %r2; ld.local.u32 %r1, [%r2]; ld.u32 %r1, [%rd1];\n"
                   "atom.shared.add.u32 %r1, [%r2], 1; red.global.add.f64 [%rd1], %fd1;\n"
                   "cp.async.cg.shared.global [%r1], [%rd1], 16; cp.async.commit_group;\n"
                   "@%p1   bra\tL; bra L; L: @%p1 ret; ret;");
    const SiteList list = sites_of(module, "k");
    ASSERT_EQ(list.sites.size(), 8u);
    const auto expect = [&](int index, Op op, trace::Space space, int width) {
        EXPECT_EQ(list.sites[index].op, op) << index;
        EXPECT_EQ(list.sites[index].space, space) << index;
        EXPECT_EQ(list.sites[index].width_bytes, width) << index;
    };
    expect(0, Op::load, trace::Space::global, 8);
    expect(1, Op::store, trace::Space::shared, 1);
    expect(2, Op::load, trace::Space::local, 4);
    expect(3, Op::load, trace::Space::generic, 4);
    expect(4, Op::atomic, trace::Space::shared, 4);
    expect(5, Op::reduction, trace::Space::global, 8);
    expect(6, Op::load, trace::Space::global, 16);
    expect(7, Op::branch, trace::Space::none, 0);
    EXPECT_EQ(list.sites[7].ptx, "@%p1 bra L;");
    EXPECT_EQ(list.sites[1].ptx_line, 6);
    EXPECT_EQ(list.find({0, 2}), 1);
    EXPECT_EQ(list.find({0, 0}), -1);
}

TEST(Sites, IncludeTexturesAndSurfaces)
{
    const Module module =
        parse_body("tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f1, %f2}];\n"
                   "suld.b.2d.v2.b32.trap {%r1, %r2}, [%rd1, {%r3, %r4}];\n"
                   "sust.b.2d.b32.trap [%rd1, {%r3, %r4}], %r1; txq.width.b32 %r1, [%rd1]; ret;");
    const SiteList list = sites_of(module, "k");
    ASSERT_EQ(list.sites.size(), 3u) << "asking for a size is none";
    EXPECT_EQ(list.sites[0].space, trace::Space::texture);
    EXPECT_EQ(list.sites[0].width_bytes, 16);
    EXPECT_EQ(list.sites[1].space, trace::Space::surface);
    EXPECT_EQ(list.sites[1].op, Op::load);
    EXPECT_EQ(list.sites[1].width_bytes, 8);
    EXPECT_EQ(list.sites[2].op, Op::store);
    EXPECT_TRUE(trace::is_modelled(list.sites[2].space));
}

TEST(Sites, IncludeCalledFunctions)
{
    const Module module = parse(compiled("calls"));
    std::vector<std::string> names;
    for (const trace::Site& site : sites_of(module, "call_directly").sites)
        names.push_back(site.function);
    EXPECT_TRUE(std::ranges::count(names, "_Z9factoriali") > 0) << "recursion has a branch";
    EXPECT_TRUE(std::ranges::count(names, "call_directly") > 0);
    EXPECT_EQ(std::ranges::count(names, "call_pointer"), 0);
    EXPECT_EQ(reachable_functions(module, "call_directly").size(), 2u);
    EXPECT_GT(reachable_functions(module, "call_pointer").size(), 3u)
        << "a pointer may reach any function";
}

// Kernels launched from a kernel are counted with it, although they are not part of its
// code.
TEST(Sites, IncludeLaunchedKernels)
{
    const Module module = parse(R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 k, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);
.visible .entry other() { .reg .u64 %a; st.global.u64 [%a], %a; ret; }
.visible .entry grandchild() { .reg .u64 %a; st.global.u64 [%a], %a; ret; }
.visible .entry child() { .reg .u64 %a; mov.u64 %a, grandchild; st.global.u64 [%a], %a; ret; }
.visible .entry parent()
{
    .reg .u64 %a;
    mov.u64 %a, child;
    { .param .b64 p; st.param.b64 [p], %a; .param .b64 s; st.param.b64 [s], %a; .param .b32 q;
      call.uni (q), __cudaCDP2LaunchDeviceV2, (p, s); }
    ret;
}
)");
    std::vector<std::string> names;
    for (const trace::Site& site : sites_of(module, "parent").sites) names.push_back(site.function);
    EXPECT_THAT(names, testing::ElementsAre("grandchild", "child"));
    EXPECT_EQ(reachable_functions(module, "parent").size(), 1u);
    EXPECT_EQ(functions_and_launched_kernels(module, "parent").size(), 3u);
    EXPECT_TRUE(launches_from_device(*module.find_function("parent")));
    EXPECT_FALSE(launches_from_device(*module.find_function("child")));
}

TEST(Sites, UnknownKernelListsKnownKernels)
{
    const Module module = parse(compiled("calls"));
    try {
        sites_of(module, "nosuch");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::no_such_thing);
        EXPECT_THAT(error.what(), HasSubstr("call_pointer"));
    }
}

} // namespace
} // namespace lanescope::ptx
