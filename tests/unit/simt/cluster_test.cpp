// Clusters of blocks: their special registers, shared memory and barrier, and the mistakes that the
// checks find.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/simt/debug/timeline.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

using Words = std::vector<std::uint32_t>;

Options checked()
{
    Options options;
    options.checks = Checks::all();
    return options;
}

// A kernel `k` whose line 9 is the first of `body`. `%block` and `%thread` are indices, `%out` is
// the address of the thread's word of the result, `mine` 256 bytes of shared memory.
std::string kernel(std::string_view body, std::string_view directives = "")
{
    return fmt::format(
        ".version 8.6\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out) {}\n{{ .shared .align 16 .b8 mine[256];\n"
        ".reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>, %out; .reg .f32 %f<9>;"
        ".reg .b32 %block, %thread, %n;\n"
        "ld.param.u64 %out, [out]; mov.u32 %block, %ctaid.x; mov.u32 %thread, %tid.x;"
        "mov.u32 %n, %ntid.x; mad.lo.u32 %n, %block, %n, %thread;\n"
        "mad.wide.u32 %out, %n, 4, %out;\n{}\nret; }}\n",
        directives, body);
}

// Results of `k`, one word per thread.
Words results(std::string_view body, const Machine::Shape& shape,
              const Options& options = checked())
{
    Machine machine = Machine::from_text(kernel(body), options);
    const auto out = machine.buffer(Words(shape.grid.count() * shape.block.count()));
    machine.run("k", shape, *out);
    return machine.values<std::uint32_t>(*out);
}

trace::Fault fault(std::string_view body, const Machine::Shape& shape,
                   const Options& options = checked())
{
    Machine machine = Machine::from_text(kernel(body), options);
    const auto out = machine.buffer(Words(shape.grid.count() * shape.block.count()));
    return machine.fault("k", shape, *out);
}

constexpr Machine::Shape pair{.grid = {2, 1, 1}, .cluster = Dim3{2, 1, 1}};
constexpr Machine::Shape four{.grid = {4, 1, 1}, .block = {1, 1, 1}, .cluster = Dim3{4, 1, 1}};
// Joins all blocks of the cluster.
constexpr const char* sync = "barrier.cluster.arrive; barrier.cluster.wait;\n";
// %r1: address of `mine` in the block with rank %r2, the next one in a cluster of two.
constexpr const char* map_next = "mov.u32 %r2, %cluster_ctarank; xor.b32 %r2, %r2, 1;\n"
                                 "mov.u32 %r1, mine; mapa.shared::cluster.u32 %r1, %r1, %r2;\n";

TEST(Clusters, SpecialRegisters)
{
    const auto read = [](const char* name) {
        return results(fmt::format("mov.u32 %r1, %ctaid.y; mov.u32 %r2, %nctaid.x;\n"
                                   "mad.lo.u32 %r1, %r1, %r2, %block;\n"
                                   "ld.param.u64 %out, [out]; mad.wide.u32 %out, %r1, 4, %out;\n"
                                   "mov.u32 %r3, %{}; st.global.u32 [%out], %r3;",
                                   name),
                       {.grid = {4, 2, 1}, .block = {1, 1, 1}, .cluster = Dim3{2, 2, 1}});
    };
    EXPECT_THAT(read("clusterid.x"), ElementsAre(0, 0, 1, 1, 0, 0, 1, 1));
    EXPECT_THAT(read("clusterid.y"), Each(0));
    EXPECT_THAT(read("nclusterid.x"), Each(2));
    EXPECT_THAT(read("nclusterid.y"), Each(1));
    EXPECT_THAT(read("cluster_ctaid.x"), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
    EXPECT_THAT(read("cluster_ctaid.y"), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
    EXPECT_THAT(read("cluster_nctaid.y"), Each(2));
    EXPECT_THAT(read("cluster_ctarank"), ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
    EXPECT_THAT(read("cluster_nctarank"), Each(4));
}

TEST(Clusters, AreExplicitIfGiven)
{
    const char* body = "mov.pred %p1, %is_explicit_cluster; selp.u32 %r1, 7, 3, %p1;\n"
                       "st.global.u32 [%out], %r1;";
    EXPECT_THAT(results(body, {}), Each(3));
    EXPECT_THAT(results(body, {.cluster = Dim3{1, 1, 1}}), Each(7));
}

TEST(Clusters, SizeOfKernelOrLaunch)
{
    const char* body = "mov.u32 %r1, %cluster_nctarank; st.global.u32 [%out], %r1;";
    Machine machine =
        Machine::from_text(kernel(body, ".explicitcluster .reqnctapercluster 2, 1, 1"));
    const auto out = machine.buffer(Words(6 * 32));
    machine.run("k", {.grid = {6, 1, 1}}, *out);
    EXPECT_THAT(machine.values<std::uint32_t>(*out), Each(2));

    const auto refusal = [&](Machine& of, const Machine::Shape& shape) -> std::string {
        try {
            of.run("k", shape, *out);
        } catch (const device::LaunchError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_THAT(refusal(machine, {.grid = {5, 1, 1}}), HasSubstr("multiple of its clusters"));
    EXPECT_THAT(refusal(machine, {.grid = {6, 1, 1}, .cluster = Dim3{3, 1, 1}}),
                HasSubstr("compiled for clusters of 2 x 1 x 1"));
    Machine plain = Machine::from_text(kernel(body));
    EXPECT_THAT(refusal(plain, {.grid = {34, 1, 1}, .cluster = Dim3{17, 1, 1}}),
                HasSubstr("at most"));
    EXPECT_THAT(refusal(plain, {.grid = {4, 4, 4}, .cluster = Dim3{4, 4, 4}}),
                HasSubstr("clusters of 64 blocks; at most 16"));
    Machine empty = Machine::from_text(kernel(body, ".reqnctapercluster 0, 1, 1"));
    EXPECT_THAT(refusal(empty, {}), HasSubstr("empty cluster"));
    Machine needs = Machine::from_text(kernel(body, ".explicitcluster"));
    EXPECT_THAT(refusal(needs, {}), HasSubstr("must be launched with a cluster size"));
    Machine few = Machine::from_text(kernel(body, ".maxclusterrank 2"));
    EXPECT_THAT(refusal(few, {.grid = {4, 1, 1}, .cluster = Dim3{4, 1, 1}}), HasSubstr("at most"));
}

// Loads, stores and atomics by 32-bit, 64-bit and generic addresses of another block.
TEST(ClusterMemory, IsReachedByEveryKindOfAddress)
{
    const std::string begin = fmt::format("mov.u32 %r9, mine; shl.b32 %r8, %thread, 2;\n"
                                          "add.u32 %r9, %r9, %r8; add.u32 %r7, %block, 40;\n"
                                          "st.shared.u32 [%r9], %r7;\n{}{}add.u32 %r1, %r1, %r8;\n",
                                          sync, map_next);
    const std::string end = fmt::format("\n{}st.global.u32 [%out], %r3;", sync);
    for (const char* load :
         {"ld.shared::cluster.u32 %r3, [%r1];",
          "cvt.u64.u32 %rd1, %r1; ld.shared::cluster.u32 %r3, [%rd1];",
          "cvt.u64.u32 %rd1, %r1; cvta.shared::cluster.u64 %rd1, %rd1; ld.u32 %r3, [%rd1];",
          "cvt.u64.u32 %rd1, %r9; cvta.shared.u64 %rd1, %rd1; mapa.u64 %rd1, %rd1, %r2;"
          "ld.relaxed.cluster.u32 %r3, [%rd1];",
          "cvt.u64.u32 %rd1, %r9; mapa.shared::cluster.u64 %rd1, %rd1, %r2;"
          "ld.shared::cluster.u32 %r3, [%rd1];",
          "mapa.shared::cluster.u32 %r1, mine, %r2; add.u32 %r1, %r1, %r8;"
          "atom.relaxed.cluster.shared::cluster.add.u32 %r3, [%r1], 0;"}) {
        const Words all = results(begin + load + end, pair);
        for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i < 32 ? 41u : 40u) << load;
    }
    // Writes, which the other block then reads from its own memory.
    const std::string reads = fmt::format("\n{}ld.shared.u32 %r3, [%r9];", sync) + end;
    for (const char* store : {"st.shared::cluster.u32 [%r1], %r7;",
                              "red.relaxed.cluster.shared::cluster.xor.b32 [%r1], 1;",
                              "atom.release.cluster.shared::cluster.exch.b32 %r4, [%r1], %r7;"}) {
        const Words all = results(begin + store + reads, pair);
        for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i < 32 ? 41u : 40u) << store;
    }
}

TEST(ClusterMemory, LanesReachDifferentBlocks)
{
    const std::string body =
        fmt::format("mov.u32 %r9, mine; mul.lo.u32 %r3, %block, 1000; add.u32 %r3, %r3, %thread;\n"
                    "mad.lo.u32 %r8, %thread, 4, %r9; st.shared.u32 [%r8], %r3;\n{}"
                    "and.b32 %r2, %thread, 3; mapa.shared::cluster.u32 %r1, %r8, %r2;\n"
                    "ld.shared::cluster.u32 %r4, [%r1]; st.global.u32 [%out], %r4;\n{}",
                    sync, sync);
    const Words all = results(body, {.grid = {4, 1, 1}, .cluster = Dim3{4, 1, 1}});
    for (std::uint32_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i % 4 * 1000 + i % 32);
}

TEST(ClusterMemory, VectorsAndSmallTypes)
{
    const std::string body =
        fmt::format("mov.u32 %r9, mine; st.shared.v4.u32 [%r9], {{1, 2, 3, %block}};\n"
                    "st.shared.u8 [mine+32], 0xfe;\n{}{}"
                    "ld.shared::cluster.v4.u32 {{%r3, %r4, %r5, %r6}}, [%r1];\n"
                    "ld.shared::cluster.s8 %r7, [%r1+32]; add.u32 %r3, %r3, %r4;\n"
                    "add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, %r6; sub.u32 %r3, %r3, %r7;\n"
                    "st.global.u32 [%out], %r3;\n{}",
                    sync, map_next, sync);
    EXPECT_THAT(results(body, {.grid = {2, 1, 1}, .block = {1, 1, 1}, .cluster = Dim3{2, 1, 1}}),
                ElementsAre(6 + 1 + 2, 6 + 0 + 2));
}

// The window of a block is part of its cluster's window.
TEST(ClusterMemory, OwnAddressesAreInWindowOfCluster)
{
    const char* body =
        "st.shared.u32 [mine], %block; mov.u32 %r1, mine; ld.shared::cluster.u32 %r2, [%r1];\n"
        "getctarank.shared::cluster.u32 %r3, %r1; mov.u32 %r4, %cluster_ctarank;\n"
        "mapa.shared::cluster.u32 %r5, %r1, %r4; ld.shared.u32 %r6, [%r5];\n" // the own rank
        "mad.lo.u32 %r2, %r3, 10, %r2; mad.lo.u32 %r2, %r6, 100, %r2;\n"
        "cvt.u64.u32 %rd1, %r1; cvta.shared.u64 %rd1, %rd1; mapa.u64 %rd2, %rd1, 3;\n"
        "isspacep.shared::cta %p1, %rd2; @%p1 add.u32 %r2, %r2, 1000;\n"
        "isspacep.shared::cluster %p1, %rd2; @%p1 add.u32 %r2, %r2, 2000;\n"
        "getctarank.u64 %r3, %rd2; mad.lo.u32 %r2, %r3, 10000, %r2;\n"
        "st.global.u32 [%out], %r2;";
    EXPECT_THAT(results(body, four), ElementsAre(32000, 32111, 32222, 33333));
}

TEST(ClusterBarrier, SplitsIntoArrivalAndWait)
{
    const std::string body = fmt::format(
        "mov.u32 %r5, 0;\n{}st.shared.u32 [mine], "
        "%block;\nbarrier.cluster.arrive.release.aligned;\n"
        "add.u32 %r5, %r5, 1; barrier.cluster.wait.acquire.aligned;\n{}"
        "ld.shared::cluster.u32 %r3, [%r1]; add.u32 %r3, %r3, %r5; st.global.u32 [%out], %r3;\n{}",
        "setp.ne.u32 %p1, %thread, 0; @%p1 exit;\n", map_next, sync);
    const Words all = results(body, pair);
    EXPECT_EQ(all[0], 2u);
    EXPECT_EQ(all[32], 1u);
}

// Threads that have exited are not waited for.
TEST(ClusterBarrier, ExitedThreadsCountAsArrived)
{
    EXPECT_THAT(results(fmt::format("setp.eq.u32 %p1, %block, 1; @%p1 exit;\n{}"
                                    "st.global.u32 [%out], 5;",
                                    sync),
                        {.grid = {3, 1, 1}, .block = {1, 1, 1}, .cluster = Dim3{3, 1, 1}}),
                ElementsAre(5, 0, 5));
}

// A block that is its own cluster.
TEST(ClusterBarrier, OneBlockOrdersItsWarps)
{
    const std::string body = fmt::format(
        "mov.u32 %r9, mine; xor.b32 %r1, %thread, 63; mad.lo.u32 %r8, %thread, 4, %r9;\n"
        "st.shared.u32 [%r8], %thread;\n{}mad.lo.u32 %r8, %r1, 4, %r9;\n"
        "ld.shared.u32 %r2, [%r8]; st.global.u32 [%out], %r2;",
        sync);
    const Words all = results(body, {.grid = {3, 1, 1}, .block = {64, 1, 1}});
    for (std::uint32_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], 63 - i % 64);
    EXPECT_EQ(fault("barrier.cluster.arrive; barrier.cluster.arrive;", {}).kind, "barrier");
}

TEST(ClusterBarrier, MisuseIsAFault)
{
    EXPECT_THAT(
        fault("barrier.cluster.arrive; barrier.cluster.arrive;", pair).message,
        AllOf(HasSubstr("PTX line 9"), HasSubstr("arrives at the cluster's barrier again")));
    EXPECT_THAT(fault("barrier.cluster.wait;", pair).message, HasSubstr("without having arrived"));
    // Block 1 waits at its own barrier for a thread that waits at the cluster's.
    const char* stuck = "setp.eq.u32 %p1, %block, 1; setp.lt.u32 %p2, %thread, 32;\n"
                        "and.pred %p1, %p1, %p2; @%p1 bra OTHER;\n"
                        "barrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n"
                        "OTHER: barrier.sync 0;\n";
    const trace::Fault found =
        fault(stuck, {.grid = {2, 1, 1}, .block = {64, 1, 1}, .cluster = Dim3{2, 1, 1}});
    EXPECT_EQ(found.kind, "barrier");
    EXPECT_EQ(found.block, (Dim3{1, 0, 0}));
    EXPECT_THAT(found.message,
                AllOf(HasSubstr("waits at barrier 0 forever: 32 of 64"),
                      HasSubstr("thread (32, 0, 0) waits at the cluster's barrier (PTX line 12)")));
}

TEST(ClusterBarrier, AlignedFormNeedsWholeWarp)
{
    const char* body = "setp.lt.u32 %p1, %thread, 7; @%p1 bra OTHER;\n"
                       "barrier.cluster.arrive.aligned; bra JOIN;\n"
                       "OTHER: barrier.cluster.arrive.aligned;\n"
                       "JOIN: barrier.cluster.wait.aligned;";
    EXPECT_THAT(fault(body, pair).message, HasSubstr("without thread"));
    Options plain;
    EXPECT_EQ(fault(body, pair, plain).kind, "none");
}

TEST(ClusterFaults, AddressesOutsideCluster)
{
    EXPECT_THAT(fault("mov.u32 %r1, mine; mapa.shared::cluster.u32 %r1, %r1, 2;", pair).message,
                AllOf(HasSubstr("rank 2"), HasSubstr("2 blocks")));
    EXPECT_THAT(fault("ld.shared::cluster.u32 %r1, [0x13000000];", pair).message,
                AllOf(HasSubstr("rank 3"), HasSubstr("2 blocks")));
    EXPECT_THAT(fault("ld.shared::cluster.u32 %r1, [0x11000000];", {}).message,
                AllOf(HasSubstr("rank 1"), HasSubstr("1 block")));
    EXPECT_EQ(fault("ld.shared::cluster.u32 %r1, [0xfffffffc];", pair).kind, "out_of_bounds");
    EXPECT_EQ(fault("mov.u64 %rd1, -4; ld.shared::cluster.u32 %r1, [%rd1];", pair).kind,
              "out_of_bounds");
    EXPECT_EQ(fault("mov.u64 %rd1, 0x1000000011000000; ld.u32 %r1, [%rd1];", pair).kind,
              "out_of_bounds");
    EXPECT_THAT(fault("mapa.u64 %rd1, %out, 0;", pair).message,
                HasSubstr("not an address of shared memory"));
    const std::string there = fmt::format("{}{}", sync, map_next);
    EXPECT_THAT(fault(there + "ld.shared::cluster.u32 %r3, [%r1+256];", pair).message,
                AllOf(HasSubstr("shared memory of block (0, 0, 0)"),
                      HasSubstr("just past the end of its 256 bytes")));
    EXPECT_EQ(fault(there + "ld.shared::cluster.u64 %rd3, [%r1+4];", pair).kind, "misaligned");
    EXPECT_EQ(fault(there + "st.shared::cluster.v4.u32 [%r1+248], {0, 0, 0, 0};", pair).kind,
              "misaligned");
}

// Block 1 completes the barrier and continues at once; block 0 then finds that it has ended.
TEST(ClusterFaults, EndedBlock)
{
    const std::string body = fmt::format("{}setp.eq.u32 %p1, %block, 1; @%p1 exit;\n{}"
                                         "ld.shared::cluster.u32 %r3, [%r1];",
                                         sync, map_next);
    for (const Options& options : {Options{}, checked()}) {
        const trace::Fault found = fault(body, pair, options);
        EXPECT_EQ(found.kind, "bad_address");
        EXPECT_EQ(found.block, (Dim3{0, 0, 0}));
        EXPECT_THAT(found.message, AllOf(HasSubstr("block (1, 0, 0), which has ended"),
                                         HasSubstr("cluster.sync()")));
    }
}

// Here the last access comes before the end of the other block, but only by chance.
TEST(ClusterChecks, LastAccessComesBeforeEndOfBlock)
{
    const auto with = [&](const char* at_end) {
        return fault(fmt::format("st.shared.u32 [mine], 1;\n{}{}"
                                 "setp.eq.u32 %p1, %block, 0; @%p1 bra DONE;\n"
                                 "ld.shared::cluster.u32 %r3, [%r1]; st.global.u32 [%out], %r3;\n"
                                 "DONE: {}",
                                 sync, map_next, at_end),
                     pair);
    };
    const trace::Fault found = with("");
    EXPECT_EQ(found.kind, "race");
    EXPECT_EQ(found.block, (Dim3{1, 0, 0}));
    EXPECT_THAT(found.message, AllOf(HasSubstr("reads shared memory of block (0, 0, 0)"),
                                     HasSubstr("which may have ended before")));
    EXPECT_EQ(with(sync).kind, "none");
}

TEST(ClusterChecks, FirstAccessNeedsBarrier)
{
    const std::string body = fmt::format("{}st.shared::cluster.u32 [%r1], 1;\n{}", map_next, sync);
    const trace::Fault found = fault(body, pair);
    EXPECT_EQ(found.kind, "race");
    EXPECT_THAT(found.message, AllOf(HasSubstr("before it is certain that this block has started"),
                                     HasSubstr("cluster.sync()")));
    EXPECT_EQ(
        fault(sync + body, {.grid = {2, 1, 1}, .block = {1, 1, 1}, .cluster = Dim3{2, 1, 1}}).kind,
        "none");
}

TEST(ClusterChecks, RaceOfTwoBlocks)
{
    constexpr Machine::Shape singles{
        .grid = {2, 1, 1}, .block = {1, 1, 1}, .cluster = Dim3{2, 1, 1}};
    const auto with = [&](const char* between) {
        return fault(fmt::format("st.shared.u32 [mine], 9;\n{}{}"
                                 "st.shared::cluster.u32 [%r1], %block;\n{}"
                                 "ld.shared.u32 %r3, [mine]; st.global.u32 [%out], %r3;\n{}",
                                 sync, map_next, between, sync),
                     singles);
    };
    const trace::Fault found = with("");
    EXPECT_EQ(found.kind, "race");
    EXPECT_THAT(found.message, AllOf(HasSubstr("of block (1, 0, 0)"), HasSubstr("cluster.sync()")));
    EXPECT_EQ(with("bar.sync 0;").kind, "race") << "a block's own barrier";
    EXPECT_EQ(with("barrier.cluster.arrive.relaxed; barrier.cluster.wait;").kind, "race");
    EXPECT_EQ(with("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;").kind, "none");
    EXPECT_EQ(
        with("fence.acq_rel.cluster; barrier.cluster.arrive.relaxed; barrier.cluster.wait;").kind,
        "none");
    // Accesses after the arrival are not ordered by its phase.
    EXPECT_EQ(
        fault(fmt::format("st.shared.u32 [mine], "
                          "9;\n{}{}barrier.cluster.arrive;\nst.shared::cluster.u32 [%r1], 1;\n"
                          "barrier.cluster.wait;\nld.shared.u32 %r3, [mine];\n{}",
                          sync, map_next, sync),
              singles)
            .kind,
        "race");
}

TEST(ClusterChecks, ScopesOfAtomics)
{
    const auto with = [&](const char* scope) {
        return fault(fmt::format("{}{}red.relaxed.{}.shared::cluster.add.u32 [%r1], 1;\n"
                                 "atom.relaxed.{}.shared.add.u32 %r3, [mine], 1;\n{}",
                                 "st.shared.u32 [mine], 0;\n", std::string(sync) + map_next, scope,
                                 scope, sync),
                     {.grid = {2, 1, 1}, .block = {1, 1, 1}, .cluster = Dim3{2, 1, 1}});
    };
    EXPECT_EQ(with("cluster").kind, "none");
    EXPECT_EQ(with("gpu").kind, "none");
    EXPECT_THAT(with("cta").message, HasSubstr("the scope of one of the two is its block"));
    // Global memory that two clusters update.
    const auto global = [&](const char* scope) {
        return fault(fmt::format("ld.param.u64 %out, [out];\n"
                                 "red.relaxed.{}.global.add.u32 [%out], 1;",
                                 scope),
                     {.grid = {4, 1, 1}, .block = {1, 1, 1}, .cluster = Dim3{2, 1, 1}});
    };
    EXPECT_EQ(global("gpu").kind, "none");
    EXPECT_THAT(global("cluster").message, HasSubstr("the scope of one of the two is its cluster"));
}

TEST(ClusterChecks, UninitialisedMemoryOfAnotherBlock)
{
    const std::string body =
        fmt::format("{}{}ld.shared::cluster.u32 %r3, [%r1]; st.global.u32 [%out], %r3;\n{}", sync,
                    map_next, sync);
    const trace::Fault found = fault(body, pair);
    EXPECT_EQ(found.kind, "uninitialised");
    EXPECT_THAT(found.message, HasSubstr("shared memory of block (0, 0, 0)"));
    EXPECT_EQ(fault("st.shared.u32 [mine], 1;\n" + body, pair).kind, "none");
}

class ClusterKernels : public testing::TestWithParam<NativeCode> {
protected:
    Options options(bool checks = true) const
    {
        Options made;
        if (checks) made.checks = Checks::all();
        made.native = GetParam();
        return made;
    }
};

INSTANTIATE_TEST_SUITE_P(Engines, ClusterKernels,
                         testing::Values(NativeCode::never, NativeCode::always,
                                         NativeCode::sometimes));

TEST_P(ClusterKernels, Histogram)
{
    for (const bool checks : {false, true}) {
        Machine machine("clusters_sm_90", options(checks));
        const auto in = numbers(5000, 1 << 20);
        std::vector<int> want(512);
        for (const int value : in) ++want[static_cast<std::size_t>(value % 512)];
        const auto data = machine.buffer(in);
        const auto out = machine.buffer(std::vector<int>(512));
        machine.run(
            "histogram",
            {.grid = {8, 1, 1}, .block = {128, 1, 1}, .shared = 256, .cluster = Dim3{8, 1, 1}},
            *data, *out, 5000, 512);
        EXPECT_EQ(machine.values<int>(*out), want);
    }
}

TEST_P(ClusterKernels, Ring)
{
    Machine machine("clusters_sm_90", options());
    const auto out = machine.buffer(std::vector<int>(8 * 32));
    machine.run("ring", {.grid = {8, 1, 1}}, *out);
    const auto values = machine.values<int>(*out);
    for (int block = 0; block < 8; ++block)
        for (int thread = 0; thread < 32; ++thread) {
            int sum = 0;
            for (int round = 0; round < 4; ++round)
                sum = sum * 3 + (block / 4 * 4 + (block % 4 + 4 - round) % 4) * 100 + thread;
            EXPECT_EQ(values[static_cast<std::size_t>(block * 32 + thread)], sum);
        }
    const trace::Fault found = machine.fault("unordered_ring", {.grid = {8, 1, 1}}, *out);
    EXPECT_EQ(found.kind, "race");
    EXPECT_GT(found.line, 0);
}

TEST_P(ClusterKernels, Sums)
{
    Machine machine("clusters_sm_90", options());
    const auto in = numbers(8 * 256, 1000);
    const auto data = machine.buffer(in);
    const auto out = machine.buffer(std::vector<int>(2));
    const Machine::Shape shape{.grid = {8, 1, 1}, .block = {256, 1, 1}, .cluster = Dim3{4, 1, 1}};
    trace::Trace trace;
    machine.run_traced(&trace, "sums", shape, *data, *out);
    const auto sum = [&](int begin) {
        return std::accumulate(in.begin() + begin, in.begin() + begin + 1024, 0);
    };
    EXPECT_THAT(machine.values<int>(*out), ElementsAre(sum(0), sum(1024)));
    EXPECT_EQ(trace.blocks_ended, 8u);
    // One generic load of each block's sum by one thread per cluster.
    std::uint64_t remote = 0;
    for (std::size_t site = 0; site < trace.sites.size(); ++site)
        if (trace.sites[site].op == trace::Op::load &&
            trace.sites[site].space == trace::Space::generic)
            remote += trace.counts[site].wavefronts;
    EXPECT_EQ(remote, 8u);
    const trace::Fault found = machine.fault("leaves_too_early", shape, *data, *out);
    EXPECT_THAT(found.message,
                testing::AnyOf(HasSubstr("which has ended"), HasSubstr("may have ended before")));
}

// Without checks, clusters are divided among the cores.
TEST_P(ClusterKernels, RunOnSeveralCores)
{
    Options several = options(false);
    several.threads = 3;
    Machine machine("clusters_sm_90", several);
    const std::vector<int> in(64 * 256, 3);
    const auto data = machine.buffer(in);
    const auto out = machine.buffer(std::vector<int>(32));
    trace::Trace trace;
    machine.run_traced(&trace, "sums",
                       {.grid = {64, 1, 1}, .block = {256, 1, 1}, .cluster = Dim3{2, 1, 1}}, *data,
                       *out);
    EXPECT_THAT(machine.values<int>(*out), Each(2 * 256 * 3));
    EXPECT_EQ(trace.blocks_ended, 64u);
}

TEST_P(ClusterKernels, Mailboxes)
{
    Machine machine("clusters_sm_90", options());
    const auto out = machine.buffer(std::vector<int>(2 * 3));
    machine.run("mailboxes", {.grid = {8, 1, 1}, .cluster = Dim3{4, 1, 1}}, *out);
    EXPECT_THAT(machine.values<int>(*out), ElementsAre(7, 17, 27, 47, 57, 67));
}

TEST_P(ClusterKernels, LaterClusterStartsWhileOneWaits)
{
    Machine machine("clusters_sm_90", options());
    const auto flag = machine.buffer(std::vector<int>{0});
    const auto out = machine.buffer(std::vector<int>(6));
    machine.run("awaits_last", {.grid = {6, 1, 1}}, *flag, *out);
    EXPECT_THAT(machine.values<int>(*out), Each(1));
}

TEST(ClusterLaunches, EndlessWaitIsFound)
{
    Options options;
    options.patience = 1 << 16;
    const std::string body = fmt::format("setp.eq.u32 %p1, %block, 0; @!%p1 bra DONE;\n"
                                         "AGAIN: ld.volatile.shared.u32 %r1, [mine];\n"
                                         "setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;\nDONE: {}",
                                         sync);
    const trace::Fault found = fault(body, pair, options);
    EXPECT_EQ(found.kind, "endless");
    EXPECT_EQ(found.block, (Dim3{0, 0, 0}));
    options.patience = ~std::uint64_t{0};
    options.step_budget = 1 << 16;
    EXPECT_EQ(fault(body, pair, options).kind, "step_budget");
}

TEST(ClusterLaunches, CannotBeSteppedThroughOrReordered)
{
    Machine machine("clusters_sm_90");
    const auto out = machine.buffer(std::vector<int>(8 * 32));
    device::Launch launch{.grid = {8, 1, 1}, .block = {32, 1, 1}, .arguments = {*out}};
    const auto refusal = [](const auto& action) -> std::string {
        try {
            action();
        } catch (const device::LaunchError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_THAT(
        refusal([&] { Timeline(machine.device(), machine.module().kernel("ring"), launch, {}); }),
        HasSubstr("clusters of 4 blocks"));
    Options reordered;
    reordered.order = 1;
    Machine other("clusters_sm_90", reordered);
    const auto there = other.buffer(std::vector<int>(8 * 32));
    EXPECT_THAT(refusal([&] {
                    other.run("ring", {.grid = {8, 1, 1}}, *there);
                }),
                HasSubstr("other orders"));
}

} // namespace
} // namespace lanescope::simt
