// Faulty kernels: the fault names the location, the thread and the cause.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

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

TEST(Faults, BeforeStartAndNull)
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

TEST(Faults, FreedBuffersAreInaccessible)
{
    Machine machine("faults");
    const auto out = machine.buffer(std::vector<int>(32));
    auto a = machine.buffer(std::vector<int>(64));
    const std::uint64_t address = a->address() + 8;
    a.reset();
    const trace::Fault fault = machine.fault("before_the_start", one_warp, address, *out);
    EXPECT_EQ(fault.kind, "out_of_bounds");
    EXPECT_THAT(fault.message, HasSubstr("buffer 3, which has been released"));
    const std::uint64_t wild = std::uint64_t{0xdeadbeef} << 16;
    EXPECT_THAT(machine.fault("null_pointer", one_warp, wild).message,
                HasSubstr("nowhere near a buffer"));
}

// Simulated devices have separate memories; copies between them go through the host, and a cancel
// ends work on all of them.
TEST(Faults, MemoryOfAnotherDeviceIsOutOfReach)
{
    Machine machine("faults");
    const auto out = machine.buffer(std::vector<int>(32));
    const auto other = machine.device().beside(2);
    const auto there = other->allocate(128);
    EXPECT_NE(there->address(), out->address());
    const trace::Fault fault =
        machine.fault("before_the_start", one_warp, there->address() + 8, *out);
    EXPECT_EQ(fault.kind, "out_of_bounds");
    EXPECT_THAT(fault.message,
                HasSubstr("memory of device 2, and the kernel runs on device 0: copy it"));
    EXPECT_THROW(machine.device().copy(out->address(), there->address(), 4), device::LaunchError);

    const auto module = other->load(*assets::find("tests/unit/simt/kernels/faults.ptx"));
    const auto launch = [&] {
        other->launch(module->kernel("before_the_start"),
                      {{1, 1, 1}, {32, 1, 1}, 0, {out->address() + 8, there->address()}});
    };
    try {
        launch();
        ADD_FAILURE() << "device 2 reached memory of device 0";
    } catch (const device::KernelFault& one) {
        EXPECT_THAT(one.what(), HasSubstr("memory of device 0, and the kernel runs on device 2"));
    }
    machine.device().cancel();
    EXPECT_THROW(launch(), device::Cancelled);
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

TEST(Faults, BarrierSkippedByWarps)
{
    Machine machine("faults");
    const auto out = machine.buffer(std::vector<int>(64));
    const trace::Fault fault = machine.fault("missed_barrier", two_warps, *out);
    EXPECT_EQ(fault.kind, "barrier");
    EXPECT_THAT(fault.message, HasSubstr("32 of 64 threads"));
}

TEST(Faults, LowestBlockIsReported)
{
    for (int threads : {1, 2, 4}) {
        Options options;
        options.threads = threads;
        Machine machine("faults", options);
        const auto a = machine.buffer(std::vector<int>(64));
        EXPECT_EQ(machine.fault("block_faults", {{50, 1, 1}, {64, 1, 1}, 0}, *a).block.x, 3u);
    }
}

TEST(Faults, ChecksFindSilentMistakes)
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

// Only a limited number of readers is recorded individually; a writer after them is still detected,
// and so is a reader after that writer.
TEST(Faults, WriterIsFoundAmongManyReaders)
{
    // All units read 32 words once between two barriers; then one of them writes some. A unit is a
    // warp (shared memory) or a block (global memory).
    const auto kind = [](bool shared, int reads, int writer, int writes) {
        const std::string space = shared ? "shared" : "global";
        const std::string text =
            fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 data)
{{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<8>;
    .shared .align 128 .b8 tile[128];
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, {};
    and.b32 %r3, %r1, 31;
    mul.wide.u32 %rd2, %r3, 4;
    mov.u64 %rd3, tile;
    add.s64 %rd3, %rd3, %rd2;
    add.s64 %rd4, %rd1, %rd2;
    mov.u32 %r4, 0;
read:
    bar.sync 0;
    ld.{}.u32 %r5, [{}];
    add.s32 %r4, %r4, 1;
    setp.lt.u32 %p1, %r4, {};
    @%p1 bra read;
    setp.ne.u32 %p2, %r2, {};
    @%p2 bra done;
    setp.ge.u32 %p3, %r3, {};
    @%p3 bra done;
    add.s32 %r6, %r2, 100;
    st.{}.u32 [{}], %r6;
done:
    ret;
}}
)",
                        shared ? "%warpid" : "%ctaid.x", space, shared ? "%rd3" : "%rd4", reads,
                        writer, writes, space, shared ? "%rd3" : "%rd4");
        Options options;
        options.threads = 1;
        options.checks.races = true;
        Machine machine = Machine::from_text(text, options);
        const auto data = machine.buffer(std::vector<int>(32));
        return machine
            .fault("k",
                   shared ? Machine::Shape{{1, 1, 1}, {128, 1, 1}, 0}
                          : Machine::Shape{{4, 1, 1}, {32, 1, 1}, 0},
                   *data)
            .kind;
    };
    for (const bool shared : {false, true})
        for (const int reads : {1, 3})
            for (const int writer : {0, 1, 2, 3}) {
                EXPECT_EQ(kind(shared, reads, writer, 0), "none") << shared << reads << writer;
                EXPECT_EQ(kind(shared, reads, writer, 1), "race") << shared << reads << writer;
                EXPECT_EQ(kind(shared, reads, writer, 32), "race") << shared << reads << writer;
            }
}

// Adjacent words share one record but have separate histories.
TEST(Faults, AdjacentWordsKeepSeparateHistory)
{
    const auto kind = [](int word) {
        const std::string text = fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 data)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.global.u32 [%rd1], %r1;
    @%p1 bra done;
    ld.global.u32 %r2, [%rd1+4];
    ld.global.u32 %r3, [%rd1+{}];
done:
    ret;
}}
)",
                                             4 * word);
        Options options;
        options.threads = 1;
        options.checks.races = true;
        Machine machine = Machine::from_text(text, options);
        const auto data = machine.buffer(std::vector<int>(32));
        return machine.fault("k", {{2, 1, 1}, {32, 1, 1}, 0}, *data).kind;
    };
    EXPECT_EQ(kind(2), "none");
    EXPECT_EQ(kind(0), "race");
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

TEST(Faults, BarrierSkippedByHalfWarp)
{
    Options options;
    options.checks = Checks::all();
    Machine checked("faults", options), unchecked("faults");
    const auto out = checked.buffer(std::vector<int>(64));
    EXPECT_EQ(checked.fault("half_warp_barrier", two_warps, *out).kind, "barrier");
    // As on a GPU: the other halves end, and a barrier does not wait for threads that have ended.
    const auto result = unchecked.buffer(std::vector<int>(64));
    EXPECT_EQ(unchecked.fault("half_warp_barrier", two_warps, *result).kind, "none");
}

// Since Volta a barrier counts exited threads as arrived.
TEST(Faults, ThreadsMayLeaveBeforeABarrier)
{
    Options options;
    options.checks.divergent_barriers = true;
    Machine machine("flow", options);
    const auto in = machine.buffer(std::vector<int>(40));
    const auto out = machine.buffer(std::vector<int>(40));
    EXPECT_EQ(machine.fault("early_then_barrier", two_warps, *in, *out, 40).kind, "none");
}

// Lanes may reach barrier.sync without .aligned one by one; with it, the warp must arrive together.
TEST(Faults, OnlyAlignedBarriersNeedFullWarp)
{
    Options options;
    options.checks.divergent_barriers = true;
    Machine machine("faults", options);
    const auto out = machine.buffer(std::vector<int>(64));
    EXPECT_EQ(machine.fault("barrier_by_halves", two_warps, *out).kind, "none");
    EXPECT_EQ(machine.values<int>(*out)[3], 60);
    EXPECT_EQ(machine.fault("aligned_barrier_by_halves", two_warps, *out).kind, "barrier");
}

Options checked(int threads = 2)
{
    Options options;
    options.threads = threads;
    options.checks = Checks::all();
    return options;
}

TEST(Faults, UninitialisedValuesMayBeCopiedNotUsed)
{
    Machine machine("faults", checked());
    const auto in = machine.buffer(std::vector<float>(512, 2));
    const auto out = machine.buffer(std::vector<float>(512));
    EXPECT_EQ(machine.fault("unset_but_unused", two_warps, *in, *out, 6).message, "");
    EXPECT_EQ(machine.values<float>(*out)[64], 4);
    const trace::Fault branch = machine.fault("unset_branch", two_warps, *out);
    EXPECT_EQ(branch.kind, "uninitialised");
    EXPECT_EQ(branch.thread.x, 9u);
    EXPECT_THAT(branch.message, HasSubstr("read at faults.cu:"));
    const trace::Fault address = machine.fault("unset_address", two_warps, *out);
    EXPECT_EQ(address.kind, "uninitialised");
    EXPECT_THAT(address.message, HasSubstr("address"));
    EXPECT_THAT(machine.fault("unset_shared", two_warps, *out).message, HasSubstr("result"));
}

TEST(Faults, InitialisedPartMayBeUsed)
{
    Machine machine("faults", checked());
    const auto out = machine.buffer(std::vector<int>(64));
    EXPECT_EQ(machine.fault("unset_beside", two_warps, *out, 8).message, "");
    const auto got = machine.values<int>(*out);
    EXPECT_EQ(got[3], 2);
    EXPECT_EQ(got[6], 1);
    EXPECT_EQ(got[8], 2);
    EXPECT_EQ(got[41], 6);
    const trace::Fault fault = machine.fault("unset_shuffled", two_warps, *out, 8);
    EXPECT_EQ(fault.kind, "uninitialised");
    EXPECT_THAT(fault.message, HasSubstr("branches on a value"));
}

TEST(Faults, UninitialisedResultsMayBeWarnings)
{
    Options options = checked();
    options.survives_doubtful_results = true;
    Machine machine("faults", options);
    const auto out = machine.buffer(std::vector<int>(64));
    trace::Trace trace;
    machine.run_traced(&trace, "unset_shared", two_warps, *out);
    EXPECT_EQ(machine.values<int>(*out)[10], 1);
    ASSERT_EQ(trace.faults.size(), 1u);
    EXPECT_EQ(trace.faults[0].kind, undefined_result);
    EXPECT_EQ(trace.faults[0].thread.x, 9u);
    EXPECT_THAT(trace.faults[0].message, HasSubstr("stores a result that depends on"));
    EXPECT_EQ(machine.fault("unset_branch", two_warps, *out).kind, "uninitialised");
    EXPECT_EQ(machine.fault("unset_shared", two_warps, *out).kind, "uninitialised")
        << "without a trace there is no place to note it";
}

// The compare-and-swap loop of the programming guide: its first read need not be atomic, since the
// swap checks again. A read without a swap is a race.
TEST(Faults, PlainReadBeforeAtomicIsNotARace)
{
    Machine machine("faults", checked());
    const auto values = numbers(256, 1000);
    const auto in = machine.buffer(values);
    const auto most = machine.buffer(std::vector<int>(2, 100));
    const Machine::Shape blocks{{4, 1, 1}, {64, 1, 1}, 0};
    EXPECT_EQ(machine.fault("swap_maximum", blocks, *in, *most).message, "");
    EXPECT_EQ(machine.values<int>(*most)[0], std::ranges::max(values));
    EXPECT_EQ(machine.fault("test_minimum", blocks, *in, *most).message, "");
    EXPECT_EQ(machine.values<int>(*most)[0], std::ranges::min(values));
    const auto out = machine.buffer(std::vector<int>(64));
    const trace::Fault fault = machine.fault("sum_too_early", blocks, *most, *out);
    EXPECT_EQ(fault.kind, "race");
    EXPECT_THAT(fault.message, HasSubstr("a __syncwarp() between them"));
    // A read that no swap has followed by the block's end is a race, counted once.
    const Machine::Shape two{{2, 1, 1}, {32, 1, 1}, 0};
    trace::Trace ended;
    EXPECT_THROW(machine.run_traced(&ended, "look_only", two, *most, *out), device::KernelFault);
    Machine unchecked("faults");
    const auto sum = unchecked.buffer(std::vector<int>(2));
    const auto looks = unchecked.buffer(std::vector<int>(2));
    trace::Trace whole;
    unchecked.run_traced(&whole, "look_only", two, *sum, *looks);
    EXPECT_EQ(ended.warp_instructions, whole.warp_instructions);
}

TEST(Faults, SameValueFromAllIsNotARace)
{
    Machine machine("faults", checked());
    const auto in = machine.buffer(std::vector<int>(64, 60));
    const auto out = machine.buffer(std::vector<int>(64));
    EXPECT_EQ(machine.fault("same_value", two_warps, *in, *out).message, "");
    const trace::Fault fault = machine.fault("other_values", two_warps, *out);
    EXPECT_EQ(fault.kind, "race");
    EXPECT_THAT(fault.message, AllOf(HasSubstr("thread (32, 0, 0)"), HasSubstr("which thread (")));
}

// Blocks read marks that others set without synchronisation. That is correct if either value that
// they may read leads to the same result.
TEST(Faults, LevelSearchIsWarning)
{
    Options options = checked();
    options.survives_doubtful_results = true;
    const Machine::Shape blocks{{4, 1, 1}, {64, 1, 1}, 0};
    std::vector<int> neighbours(4 * 256);
    for (std::size_t i = 0; i < neighbours.size(); ++i)
        neighbours[i] = static_cast<int>(i * 89 + 57) % 256; // including nodes of other blocks
    std::vector<int> levels(256, -1);
    for (std::size_t i = 0; i < levels.size(); i += 3) levels[i] = 1;
    std::vector<int> wanted = levels;
    for (std::size_t i = 0; i < levels.size(); ++i)
        for (std::size_t k = 0; k < 4 && levels[i] == 1; ++k) {
            int& next = wanted[static_cast<std::size_t>(neighbours[4 * i + k])];
            if (next < 0) next = 2;
        }
    for (const int threads : {1, 2}) {
        options.threads = threads;
        Machine machine("faults", options);
        const auto links = machine.buffer(neighbours);
        const auto run = [&](const char* kernel, trace::Trace* trace) {
            const auto marks = machine.buffer(levels);
            machine.run_traced(trace, kernel, blocks, *marks, *links, 1);
            return machine.values<int>(*marks);
        };
        trace::Trace trace;
        EXPECT_EQ(run("search_level", &trace), wanted);
        // The node's own mark and its neighbours', set by other warps and by other blocks.
        ASSERT_EQ(trace.faults.size(), 2u);
        for (const trace::Fault& fault : trace.faults) {
            EXPECT_EQ(fault.kind, either_value);
            EXPECT_THAT(fault.message,
                        HasSubstr("correct if it does not depend on which value is read"));
        }
        EXPECT_THROW(run("search_level", nullptr), device::KernelFault) << "no place to note it";
        // Links only to other nodes: a thread that updates the value it has read needs no warning.
        std::vector<int> elsewhere(neighbours.size());
        for (std::size_t i = 0; i < elsewhere.size(); ++i)
            elsewhere[i] = static_cast<int>(i / 4 + 64 + i % 4) % 256;
        const auto other_links = machine.buffer(elsewhere);
        const auto swapped = machine.buffer(levels);
        trace::Trace swapping;
        machine.run_traced(&swapping, "search_swapping", blocks, *swapped, *other_links, 1);
        ASSERT_FALSE(swapping.faults.empty());
        for (const trace::Fault& fault : swapping.faults) {
            EXPECT_EQ(fault.kind, either_value);
            EXPECT_THAT(fault.message, HasSubstr("The update decides which value remains"));
        }
        for (const char* kernel : {"search_parent", "mark_blindly"}) {
            trace::Trace stopped;
            EXPECT_THROW(run(kernel, &stopped), device::KernelFault) << kernel;
            ASSERT_EQ(stopped.faults.size(), 1u) << kernel;
            EXPECT_EQ(stopped.faults[0].kind, "race") << kernel;
        }
    }
}

// Since Volta, GPUs count exited threads as arrived: this works there, but no manual guarantees it.
TEST(Faults, BarrierOfSomeThreadsIsWarning)
{
    Options options = checked();
    options.survives_doubtful_results = true;
    const Machine::Shape blocks{{64, 1, 1}, {64, 1, 1}, 0};
    for (const int threads : {1, 2}) {
        options.threads = threads;
        Machine machine("faults", options);
        const auto out = machine.buffer(std::vector<int>(64));
        const auto warnings = [&](const char* kernel, const Machine::Shape& shape,
                                  auto... arguments) {
            trace::Trace trace;
            machine.run_traced(&trace, kernel, shape, *out, arguments...);
            return trace.faults;
        };
        EXPECT_THAT(warnings("barrier_of_some", blocks, 64), IsEmpty());
        for (const int n : {1, 32, 50, 63}) {
            const auto found = warnings("barrier_of_some", two_warps, n);
            ASSERT_EQ(found.size(), 1u) << n;
            EXPECT_EQ(found[0].kind, partial_barrier);
            EXPECT_THAT(found[0].message,
                        HasSubstr(fmt::format("that only {} of the block's 64 threads reach", n)));
        }
        EXPECT_EQ(machine.values<int>(*out)[0], 62);
        const auto mixed = warnings("barriers_of_two_lines", two_warps);
        ASSERT_EQ(mixed.size(), 1u);
        EXPECT_EQ(mixed[0].kind, partial_barrier);
        EXPECT_THAT(mixed[0].message,
                    HasSubstr("while thread (32, 0, 0) waits at a different one, at"));
        EXPECT_EQ(machine.values<int>(*out)[40], 2 * 23);
        EXPECT_EQ(machine.fault("barrier_of_some", two_warps, *out, 50).message, "")
            << "without a trace there is no place to note it";
    }
}

TEST(Faults, ShuffleFromOutsideIsWarningOnlyIfStored)
{
    Options options = checked();
    options.survives_doubtful_results = true;
    for (const int threads : {1, 2}) {
        options.threads = threads;
        Machine machine("faults", options);
        const auto in = machine.buffer(std::vector<int>(64, 1));
        const auto out = machine.buffer(std::vector<int>(64));
        trace::Trace unused;
        machine.run_traced(&unused, "sum_of_half_warp", two_warps, *out, *in, 0);
        EXPECT_THAT(unused.faults, IsEmpty());
        EXPECT_EQ(machine.values<int>(*out)[32], 16);
        trace::Trace used;
        machine.run_traced(&used, "sum_of_half_warp", two_warps, *out, *in, 1);
        ASSERT_EQ(used.faults.size(), 1u);
        EXPECT_EQ(used.faults[0].kind, undefined_shuffle);
        EXPECT_THAT(used.faults[0].message,
                    AllOf(HasSubstr("stores a result that depends on a shuffle from a lane that "
                                    "does not take part"),
                          HasSubstr("such values are stored there")));
    }
}

TEST(Faults, VolatileExchangeWithinWarpIsWarning)
{
    Options options = checked();
    options.survives_doubtful_results = true;
    Machine machine("faults", options);
    const auto out = machine.buffer(std::vector<int>(64));
    trace::Trace trace;
    machine.run_traced(&trace, "volatile_sum", two_warps, *out);
    EXPECT_EQ(machine.values<int>(*out)[0], 63 * 64 / 2);
    ASSERT_FALSE(trace.faults.empty());
    for (const trace::Fault& fault : trace.faults) {
        EXPECT_EQ(fault.kind, volatile_order);
        EXPECT_THAT(fault.message, HasSubstr("Volatile does not order the lanes of a warp"));
    }
}

TEST(Faults, AtomicsOfBlockScopeRaceWithOtherBlocks)
{
    for (const int threads : {1, 2}) {
        Options options = checked();
        options.threads = threads;
        Machine machine("faults", options);
        const auto count = machine.buffer(std::vector<int>(1));
        const Machine::Shape one{{1, 1, 1}, {64, 1, 1}, 0}, four{{4, 1, 1}, {64, 1, 1}, 0};
        EXPECT_EQ(machine.fault("count_in_block_scope", one, *count).message, "");
        const trace::Fault fault = machine.fault("count_in_block_scope", four, *count);
        EXPECT_EQ(fault.kind, "race");
        EXPECT_THAT(fault.message, HasSubstr("the scope of one of the two is its block"));
    }
}

TEST(Faults, PartialSyncwarpDoesNotOrderEndedLanes)
{
    Machine machine("faults", checked());
    const auto out = machine.buffer(std::vector<int>(32));
    const Machine::Shape warp{{1, 1, 1}, {32, 1, 1}, 0};
    EXPECT_EQ(machine.fault("sync_of_half_warp", warp, *out, 1).message, "");
    EXPECT_EQ(machine.values<int>(*out)[0], 31);
    const trace::Fault fault = machine.fault("sync_of_half_warp", warp, *out, 0);
    EXPECT_EQ(fault.kind, "race");
    EXPECT_THAT(fault.message, HasSubstr("of the same warp has written"));
}

TEST(Faults, ReadOnlyCacheOfWrittenDataIsWarning)
{
    for (const int threads : {1, 2}) {
        Options options = checked();
        options.survives_doubtful_results = true;
        options.threads = threads;
        Machine machine("faults", options);
        const auto data = machine.buffer(std::vector<int>(64));
        const auto out = machine.buffer(std::vector<int>(64));
        trace::Trace trace;
        machine.run_traced(&trace, "read_only_after_write", two_warps, *data, *out);
        ASSERT_EQ(trace.faults.size(), 1u);
        EXPECT_EQ(trace.faults[0].kind, read_only_cache);
        EXPECT_THAT(trace.faults[0].message, HasSubstr("may read an old value"));
        EXPECT_EQ(machine.values<int>(*out)[0], 63);
    }
}

// A store whose lanes reach several allocations has no common base.
TEST(Faults, SameValuesInTwoBuffersAreNotARace)
{
    Machine machine("faults", checked());
    const auto a = machine.buffer(std::vector<int>(8));
    const auto b = machine.buffer(std::vector<int>(8));
    const Machine::Shape warp{{1, 1, 1}, {32, 1, 1}, 0};
    EXPECT_EQ(machine.fault("halves_apart", warp, *a, *b).message, "");
    EXPECT_EQ(machine.values<int>(*b)[7], 7);
}

TEST(Faults, FencedSharedFlagOrdersAccesses)
{
    Machine machine("faults", checked());
    const auto out = machine.buffer(std::vector<int>(64));
    EXPECT_EQ(machine.fault("flag_in_shared", two_warps, *out, 1).message, "");
    EXPECT_EQ(machine.values<int>(*out)[0], 42);
    EXPECT_EQ(machine.fault("flag_in_shared", two_warps, *out, 0).kind, "race");
}

TEST(Faults, FlagWithoutFenceOrdersReadsAlone)
{
    Machine machine("faults", checked());
    const auto kind = [&](int waits, int rereads) {
        const auto values = machine.buffer(std::vector<int>(4 * 64));
        const auto taken = machine.buffer(std::vector<int>(4));
        return machine
            .fault("moved_in_place", {{4, 1, 1}, {64, 1, 1}, 0}, *values, *taken, waits, rereads)
            .kind;
    };
    EXPECT_EQ(kind(1, 0), "none");
    EXPECT_EQ(kind(0, 0), "race");
    EXPECT_EQ(kind(1, 1), "race"); // the next block may not see the values
}

TEST(Faults, NameVariables)
{
    Machine machine("faults", checked());
    EXPECT_THAT(machine.fault("variable_race", {{2, 1, 1}, {32, 1, 1}, 0}).message,
                HasSubstr("in the variable last_block_of_all (4 bytes)"));
}

TEST(Faults, NameNegativeUnsignedIndex)
{
    Machine machine("faults", checked());
    const auto in = machine.buffer(std::vector<float>(64));
    const auto out = machine.buffer(std::vector<float>(64));
    EXPECT_THAT(machine.fault("before_first", {{1, 1, 1}, {64, 1, 1}, 0}, *in, *out, 64u).message,
                HasSubstr("its index 4294967295 is what -1 becomes in an unsigned number"));
}

TEST(Faults, SpinningOnAtomicIsNotEndless)
{
    Options options = checked();
    options.step_budget = 1 << 26;
    Machine machine("faults", options);
    const auto flag = machine.buffer(std::vector<int>(1));
    const auto out = machine.buffer(std::vector<int>(1));
    EXPECT_EQ(machine.fault("atomic_wait", {{2, 1, 1}, {32, 1, 1}, 0}, *flag, *out).message, "");
    EXPECT_EQ(machine.values<int>(*out)[0], 5);
}

TEST(Faults, SomeAllowContinuing)
{
    Options options = checked();
    options.keep_going = 3;
    Machine machine("faults", options);
    const auto a = machine.buffer(std::vector<int>(64 * 8));
    trace::Trace trace;
    machine.run_traced(&trace, "every_block_faults", {{6, 1, 1}, {64, 1, 1}, 0}, *a);
    ASSERT_EQ(trace.faults.size(), 3u);
    EXPECT_EQ(trace.faults[2].block.x, 5u);
    EXPECT_EQ(machine.values<int>(*a)[64 * 5], 7);
    EXPECT_THROW(machine.run_traced(&trace, "every_block_faults", {{8, 1, 1}, {64, 1, 1}, 0}, *a),
                 device::KernelFault);
    EXPECT_EQ(trace.faults.size(), 4u);
}

TEST(Faults, TimeLimitEndsLaunch)
{
    // The loop counts to 2⁶⁴, and no state repeats. On any computer, however fast or busy, only the
    // time limit ends it.
    constexpr std::string_view counts =
        ".version 8.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .u64 at)\n{\n.reg .pred %p;\n.reg .b64 %at, %n;\n"
        "ld.param.u64 %at, [at];\nmov.u64 %n, 0;\nagain: add.u64 %n, %n, 1;\n"
        "setp.ne.u64 %p, %n, 0;\n@%p bra again;\nst.global.u64 [%at], %n;\nret;\n}\n";
    for (const bool checks : {false, true}) {
        Options options;
        options.time_limit_s = 0.2;
        if (checks) options.checks = Checks::all();
        Machine machine = Machine::from_text(counts, options);
        const auto at = machine.buffer(std::vector<std::uint64_t>(1));
        const trace::Fault fault = machine.fault("k", {{1, 1, 1}, {32, 1, 1}, 0}, *at);
        EXPECT_EQ(fault.kind, "time_limit");
        EXPECT_THAT(fault.message, HasSubstr("stopped after 0.2 s"));
    }
}

// The last warp starts after the time limit, and only it loops: the fault names the loop's line,
// not the warp's first line.
TEST(Faults, LateEndlessLoopIsReported)
{
    constexpr std::string_view loops_in_last_warp =
        ".version 8.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .u64 at)\n{\n.reg .pred %p, %q;\n.reg .b64 %at, %n;\n"
        ".reg .b32 %t;\n.loc 1 2 0\nld.param.u64 %at, [at];\nmov.u32 %t, %tid.x;\n"
        "setp.lt.u32 %q, %t, 992;\n@%q bra done;\nmov.u64 %n, 0;\n"
        ".loc 1 7 0\nagain: add.u64 %n, %n, 1;\nsetp.ne.u64 %p, %n, 0;\n@%p bra again;\n"
        "st.global.u64 [%at], %n;\ndone: ret;\n}\n.file 1 \"k.cu\"\n";
    for (const bool checks : {false, true}) {
        Options options;
        options.time_limit_s = 1e-9;
        if (checks) options.checks = Checks::all();
        Machine machine = Machine::from_text(loops_in_last_warp, options);
        const auto at = machine.buffer(std::vector<std::uint64_t>(1));
        const trace::Fault fault = machine.fault("k", {{1, 1, 1}, {1024, 1, 1}, 0}, *at);
        EXPECT_EQ(fault.kind, "time_limit");
        EXPECT_EQ(fault.line, 7) << fault.message;
    }
}

TEST(Faults, ChangingAddressesRaiseNoFault)
{
    Machine machine("faults");
    const auto values = numbers(1000, 1000);
    const auto in = machine.buffer(values);
    const auto out = machine.buffer(std::vector<int>(32));
    machine.run("pairs", one_warp, *in, *out, 1000);
    for (int t = 0; t < 32; ++t) {
        int want = 0;
        for (int i = t; i + 1 < 1000; i += 32) want += values[i] * 3 + values[i + 1];
        EXPECT_EQ(machine.values<int>(*out)[t], want) << t;
    }
}

TEST(Faults, UnsupportedKernelIsRefusedAtLoad)
{
    const char* text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    tcgen05.wait::ld.sync.aligned;
    ret;
}
)";
    const auto device = make_device();
    try {
        device->load(text)->kernel("k");
        FAIL() << "runs";
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage);
        EXPECT_THAT(error.what(), AllOf(HasSubstr("tcgen05"), HasSubstr("8")));
    }
}

// Lanes that left a compare-and-swap loop continue after a while, since others may wait for them.
// At a barrier that all reach they wait for the others.
TEST(Faults, BarrierAfterDivergentLoop)
{
    const auto kernel = [](const std::string& last_steps) {
        return ".version 8.0\n.target sm_75\n.address_size 64\n"
               ".visible .entry k(.param .u64 at, .param .u32 turns)\n{\n"
               ".reg .pred %p;\n.reg .b32 %n, %i, %t, %x, %s;\n.reg .b64 %at, %to;\n"
               ".shared .align 4 .b32 sums[64];\n"
               "ld.param.u64 %at, [at];\nld.param.u32 %n, [turns];\nmov.u32 %x, %tid.x;\n"
               "and.b32 %t, %x, 31;\nmul.lo.u32 %n, %n, %t;\nmov.u32 %i, 0;\n"
               "bra test;\nagain: atom.global.cas.b32 %t, [%at], 0, 0;\nadd.u32 %i, %i, 1;\n"
               "test: setp.lt.u32 %p, %i, %n;\n@%p bra again;\n"
               "mov.u32 %s, sums;\nshl.b32 %t, %x, 2;\nadd.u32 %s, %s, %t;\n"
               "st.shared.u32 [%s], %i;\nand.b32 %t, %x, 1;\nsetp.eq.u32 %p, %t, 0;\n" +
               last_steps +
               "mov.u32 %s, sums;\nxor.b32 %t, %x, 63;\nshl.b32 %t, %t, 2;\n"
               "add.u32 %s, %s, %t;\nld.shared.u32 %i, [%s];\nmul.wide.u32 %to, %x, 4;\n"
               "add.u64 %to, %to, %at;\nst.global.u32 [%to+4], %i;\nret;\n}\n";
    };
    const std::string together = kernel("bar.sync 0;\n");
    const std::string apart = kernel("@%p bra even;\nbar.sync 0;\nbra end;\n"
                                     "even: bar.sync 0;\nend:\n");
    constexpr std::uint32_t turns = 2000; // the loop takes more than a slice
    for (const NativeCode native : {NativeCode::always, NativeCode::never}) {
        Options options;
        options.native = native;
        options.checks = Checks::all();
        Machine machine = Machine::from_text(together, options);
        const auto at = machine.buffer(std::vector<std::uint32_t>(65));
        EXPECT_EQ(machine.fault("k", two_warps, *at, turns).message, "");
        std::vector<std::uint32_t> expected{0};
        for (std::uint32_t i = 0; i < 64; ++i) expected.push_back(turns * ((i ^ 63) % 32));
        EXPECT_EQ(machine.values<std::uint32_t>(*at), expected);

        Machine other = Machine::from_text(apart, options);
        const auto there = other.buffer(std::vector<std::uint32_t>(65));
        EXPECT_THAT(other.fault("k", two_warps, *there, turns).message,
                    testing::HasSubstr("which has taken another path"));
    }
}

// The division gives 0xffffffff, so the access is far outside the buffer: both are reported.
TEST(Faults, DivisionByZeroBeforeFaultIsReported)
{
    const std::string text = ".version 8.0\n.target sm_75\n.address_size 64\n"
                             ".visible .entry k(.param .u64 at, .param .u32 by)\n{\n"
                             ".reg .b32 %n, %x;\n.reg .b64 %at, %to;\n"
                             "ld.param.u64 %at, [at];\nld.param.u32 %n, [by];\n"
                             "mov.u32 %x, %tid.x;\ndiv.u32 %x, %x, %n;\n"
                             "mul.wide.u32 %to, %x, 4;\nadd.u64 %to, %to, %at;\n"
                             "st.global.u32 [%to], %n;\nret;\n}\n";
    for (const NativeCode native : {NativeCode::always, NativeCode::never}) {
        Options options;
        options.native = native;
        options.checks = Checks::all();
        options.survives_doubtful_results = true;
        Machine machine = Machine::from_text(text, options);
        const auto at = machine.buffer(std::vector<std::uint32_t>(64));
        trace::Trace trace;
        EXPECT_THROW(machine.run_traced(&trace, "k", two_warps, *at, 0u), device::KernelFault);
        std::vector<std::string> kinds;
        for (const trace::Fault& fault : trace.faults) kinds.push_back(fault.kind);
        EXPECT_THAT(kinds, testing::ElementsAre("zero_division", "out_of_bounds"))
            << static_cast<int>(native);
    }
}

} // namespace
} // namespace lanescope::simt
