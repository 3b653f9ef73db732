// Wrong kernels: the fault must name the place, the thread and what was wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Machine::Shape one_warp{{1, 1, 1}, {32, 1, 1}, 0};
const Machine::Shape two_warps{{1, 1, 1}, {64, 1, 1}, 0};

TEST(Faults, PastTheEndNamesBufferAndDistance)
{
    Machine machine("faults");
    const auto a = machine.buffer(std::vector<float>(100));
    const trace::Fault fault = machine.fault("past_the_end", {{2, 1, 1}, {64, 1, 1}, 0}, *a, 7);
    EXPECT_EQ(fault.kind, "out_of_bounds");
    EXPECT_EQ(fault.kernel, "past_the_end");
    EXPECT_EQ(fault.line, 5);
    EXPECT_THAT(fault.file, HasSubstr("faults.cu"));
    EXPECT_EQ(fault.block, (Dim3{1, 0, 0}));
    EXPECT_EQ(fault.thread, (Dim3{36, 0, 0}));
    EXPECT_EQ(fault.address, a->address() + 400);
    EXPECT_THAT(fault.message, AllOf(HasSubstr("past_the_end"), HasSubstr("faults.cu:5"),
                                     HasSubstr("thread (36, 0, 0)"), HasSubstr("block (1, 0, 0)"),
                                     HasSubstr("writes 4 bytes"), HasSubstr("just past the end"),
                                     HasSubstr("parameter 0"), HasSubstr("400 bytes")));
}

TEST(Faults, BeforeTheStartAndNull)
{
    Machine machine("faults");
    const auto a = machine.buffer(std::vector<int>(32));
    const auto out = machine.buffer(std::vector<int>(32));
    const trace::Fault before = machine.fault("before_the_start", one_warp, *a, *out);
    EXPECT_EQ(before.kind, "out_of_bounds");
    EXPECT_THAT(before.message, AllOf(HasSubstr("8 bytes before the start"), HasSubstr("reads")));
    const trace::Fault null = machine.fault("null_pointer", one_warp, std::uint64_t{0});
    EXPECT_THAT(null.message, HasSubstr("null pointer"));
}

TEST(Faults, ReleasedBuffersAreNoLongerThere)
{
    Machine machine("faults");
    const auto out = machine.buffer(std::vector<int>(32));
    auto a = machine.buffer(std::vector<int>(64));
    const std::uint64_t address = a->address() + 8;
    a.reset();
    const trace::Fault fault = machine.fault("before_the_start", one_warp, address, *out);
    EXPECT_EQ(fault.kind, "out_of_bounds");
    EXPECT_THAT(fault.message, HasSubstr("buffer 2, which has been released"));
    const std::uint64_t wild = std::uint64_t{0xdeadbeef} << 16;
    EXPECT_THAT(machine.fault("null_pointer", one_warp, wild).message,
                HasSubstr("nowhere near a buffer"));
}

TEST(Faults, MisalignedAndSharedOverrun)
{
    Machine machine("faults");
    const auto a = machine.buffer(std::vector<int>(64));
    const auto out = machine.buffer(std::vector<int>(32));
    const trace::Fault misaligned = machine.fault("misaligned", one_warp, *a, *out);
    EXPECT_EQ(misaligned.kind, "misaligned");
    EXPECT_EQ(misaligned.thread.x, 5u);
    const trace::Fault overrun = machine.fault("shared_overrun", one_warp, *out);
    EXPECT_EQ(overrun.kind, "out_of_bounds");
    EXPECT_EQ(overrun.thread.x, 31u);
    EXPECT_THAT(overrun.message, HasSubstr("shared memory"));
}

TEST(Faults, ABarrierThatSomeWarpsMiss)
{
    Machine machine("faults");
    const auto out = machine.buffer(std::vector<int>(64));
    const trace::Fault fault = machine.fault("missed_barrier", two_warps, *out);
    EXPECT_EQ(fault.kind, "barrier");
    EXPECT_THAT(fault.message, HasSubstr("32 of 64 threads"));
}

TEST(Faults, TheLowestBlockIsReported)
{
    for (int threads : {1, 2, 4}) {
        Options options;
        options.threads = threads;
        Machine machine("faults", options);
        const auto a = machine.buffer(std::vector<int>(64));
        EXPECT_EQ(machine.fault("block_faults", {{50, 1, 1}, {64, 1, 1}, 0}, *a).block.x, 3u);
    }
}

TEST(Faults, ChecksFindWhatRunsThroughOtherwise)
{
    const auto kind = [](std::string_view kernel, const Checks& checks) {
        Options options;
        options.checks = checks;
        Machine machine("faults", options);
        const auto out = machine.buffer(std::vector<int>(64));
        return machine.fault(kernel, two_warps, *out).kind;
    };
    const Checks uninitialised{.uninitialised = true};
    const Checks races{.races = true};
    EXPECT_EQ(kind("unset_shared", {}), "none");
    EXPECT_EQ(kind("unset_shared", uninitialised), "uninitialised");
    EXPECT_EQ(kind("race", {}), "none");
    EXPECT_EQ(kind("race", races), "race");
    EXPECT_EQ(kind("unset_shared", races), "none");
}

TEST(Faults, UninitialisedGlobalMemory)
{
    Options options;
    options.checks = Checks::all();
    Machine machine("faults", options);
    const auto in = machine.device().allocate(256);
    const auto out = machine.buffer(std::vector<int>(64));
    EXPECT_EQ(machine.fault("unset_global", two_warps, *in, *out).kind, "uninitialised");
    machine.device().fill(in->address(), 0, 256);
    EXPECT_EQ(machine.fault("unset_global", two_warps, *in, *out).kind, "none");
}

TEST(Faults, ABarrierThatHalfAWarpMisses)
{
    Machine machine("faults");
    const auto out = machine.buffer(std::vector<int>(64));
    EXPECT_EQ(machine.fault("half_warp_barrier", two_warps, *out).kind, "barrier");
}

// Since Volta a barrier counts threads that have left as arrived.
TEST(Faults, ThreadsMayLeaveBeforeABarrier)
{
    Options options;
    options.checks.divergent_barriers = true;
    Machine machine("flow", options);
    const auto in = machine.buffer(std::vector<int>(40));
    const auto out = machine.buffer(std::vector<int>(40));
    EXPECT_EQ(machine.fault("early_then_barrier", two_warps, *in, *out, 40).kind, "none");
}

// barrier.sync without .aligned may be reached lane by lane; with it, the warp must come together.
TEST(Faults, OnlyAlignedBarriersNeedTheWholeWarp)
{
    Options options;
    options.checks.divergent_barriers = true;
    Machine machine("faults", options);
    const auto out = machine.buffer(std::vector<int>(64));
    EXPECT_EQ(machine.fault("barrier_by_halves", two_warps, *out).kind, "none");
    EXPECT_EQ(machine.values<int>(*out)[3], 60);
    EXPECT_EQ(machine.fault("aligned_barrier_by_halves", two_warps, *out).kind, "barrier");
}

TEST(Faults, WhatTheMachineCannotRunIsRefusedAtLoad)
{
    const char* text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    wgmma.fence.sync.aligned;
    ret;
}
)";
    const auto device = make_device();
    try {
        device->load(text);
        FAIL() << "loaded";
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage);
        EXPECT_THAT(error.what(), AllOf(HasSubstr("wgmma"), HasSubstr("8")));
    }
}

} // namespace
} // namespace lanescope::simt
