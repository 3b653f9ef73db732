// Bulk copies: results of correct kernels in every engine, when copies take effect, and faults.
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "compute/trace/trace.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int tile = 256, stages_steps = 8;

Options checked()
{
    Options options;
    options.checks = Checks::all();
    options.patience = 1;
    return options;
}

// Checked, unchecked in both engines, and in other orders.
std::vector<Options> all_options()
{
    std::vector<Options> all{checked(), {}, {}};
    all[1].native = NativeCode::never;
    all[2].native = NativeCode::always;
    for (std::uint64_t order = 1; order <= 8; ++order) {
        all.emplace_back();
        all.back().order = order;
        all.back().threads = 1;
    }
    return all;
}

std::vector<int> ramp(std::size_t count)
{
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 3);
    return values;
}

TEST(BulkCopies, WithLibraryBarriers)
{
    const std::vector<int> in = ramp(3 * tile);
    for (const Options& options : all_options()) {
        Machine machine("bulk_sm_90", options);
        const auto from = machine.buffer(in);
        for (const bool asynchronous : {false, true}) {
            const auto out = machine.buffer(std::vector<int>(3 * tile));
            machine.run(asynchronous ? "with_memcpy_async" : "with_barrier",
                        {{3, 1, 1}, {64, 1, 1}}, *out, *from);
            const auto values = machine.values<int>(*out);
            for (int block = 0; block < 3; ++block)
                for (int i = 0; i < tile; ++i) {
                    const int expected = asynchronous ? in[block * tile + (i ^ 1)]
                                                      : in[block * tile + tile - 1 - i] + 1;
                    ASSERT_EQ(values[block * tile + i], expected) << block << " " << i;
                }
        }
    }
}

TEST(BulkCopies, RoundTrip)
{
    for (const Options& options : all_options()) {
        Machine machine("bulk_sm_90", options);
        const auto data = machine.buffer(ramp(2 * tile));
        machine.run("round_trip", {{2, 1, 1}, {96, 1, 1}}, *data);
        const auto values = machine.values<int>(*data);
        for (int i = 0; i < 2 * tile; ++i) ASSERT_EQ(values[i], 2 * (i + 3) + i % tile) << i;
    }
}

TEST(BulkCopies, ProducerAndConsumers)
{
    const std::vector<int> in = numbers(2 * stages_steps * tile, 1000);
    for (const Options& options : all_options()) {
        Machine machine("bulk_sm_90", options);
        const auto from = machine.buffer(in);
        const auto sums = machine.buffer(std::vector<int>(2));
        machine.run("pipeline", {{2, 1, 1}, {96, 1, 1}}, *sums, *from);
        const auto middle = in.begin() + stages_steps * tile;
        EXPECT_THAT(machine.values<int>(*sums), ElementsAre(std::accumulate(in.begin(), middle, 0),
                                                            std::accumulate(middle, in.end(), 0)));
    }
}

// A warp that waits at an mbarrier gives its turn away, as a GPU suspends it: it tries again once
// per round, and does not spin for a whole slice.
TEST(BulkCopies, WaitingTakesFewInstructions)
{
    Machine machine("bulk_sm_90");
    const auto from = machine.buffer(numbers(2 * 8 * 256, 1000));
    const auto sums = machine.buffer(std::vector<int>(2));
    trace::Trace trace;
    machine.run_traced(&trace, "pipeline", {{2, 1, 1}, {96, 1, 1}}, *sums, *from);
    std::uint64_t waits = 0;
    for (std::size_t i = 0; i < trace.sites.size(); ++i)
        if (trace.sites[i].op == trace::Op::branch) waits += trace.counts[i].executions;
    EXPECT_GT(waits, 2u * 8 * 2); // two warps of each block wait in each of eight steps
    EXPECT_LT(waits, 2u * 8 * 100);
    EXPECT_LT(trace.warp_instructions, 10000u);
}

TEST(BulkCopies, ReduceAndTakeTurns)
{
    for (const Options& options : all_options()) {
        Machine machine("bulk_sm_90", options);
        const auto from = machine.buffer(ramp(4 * tile));
        const auto out = machine.buffer(std::vector<int>(tile, 1));
        machine.run("reduce", {{4, 1, 1}, {64, 1, 1}}, *out, *from);
        const auto sums = machine.values<int>(*out);
        for (int i = 0; i < tile; ++i) ASSERT_EQ(sums[i], 1 + 4 * (i + 3) + 6 * tile) << i;
        const auto tiles = machine.buffer(std::vector<int>(2 * stages_steps * tile));
        machine.run("two_buffers", {{2, 1, 1}, {64, 1, 1}}, *tiles);
        const auto values = machine.values<int>(*tiles);
        for (int i = 0; i < 2 * stages_steps * tile; ++i) ASSERT_EQ(values[i], i);
    }
}

constexpr std::string_view head = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .reg .b16 %h<4>;
    .reg .b32 %r<16>, %t;
    .reg .b64 %rd<16>, %out, %in;
    .reg .pred %p, %q, %first;
    .shared .align 16 .b8 buffer[1024];
    .shared .align 16 .b8 other[1024];
    .shared .align 8 .b64 full;
    .shared .align 8 .b64 empty;
    ld.param.u64 %out, [out];
    ld.param.u64 %in, [in];
    mov.u32 %t, %tid.x;
    setp.eq.u32 %first, %t, 0;
)";

std::string kernel(std::string_view body)
{
    return std::string(head) + std::string(body) + "    ret;\n}\n";
}

// Initialises `full` for one arrival and starts a copy of 64 bytes to `buffer`.
constexpr std::string_view load = R"(
    @%first mbarrier.init.shared.b64 [full], 1;
    @%first fence.mbarrier_init.release.cluster;
    bar.sync 0;
    @!%first bra started;
    mbarrier.arrive.expect_tx.shared.b64 %rd1, [full], 64;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buffer], [%in], 64, [full];
started:
)";
constexpr std::string_view wait = R"(
waits:
    mbarrier.try_wait.parity.shared.b64 %p, [full], 0;
    @!%p bra waits;
)";
// Each thread writes one of the first 16 words of `buffer` to `out`.
constexpr std::string_view show = R"(
    mov.u32 %r1, buffer;
    and.b32 %r3, %t, 15;
    mad.lo.u32 %r1, %r3, 4, %r1;
    ld.shared.u32 %r2, [%r1]; // here
    mad.wide.u32 %rd2, %t, 4, %out;
    st.global.u32 [%rd2], %r2;
)";

struct Ran {
    std::vector<int> out;
    trace::Fault fault;
};

// In clusters of one block, which copies within shared memory need.
constexpr Dim3 one_block{1, 1, 1};

Ran run(const std::string& body, const Options& options = checked(), unsigned threads = 16,
        std::optional<Dim3> cluster = one_block)
{
    Machine machine = Machine::from_text(kernel(body), options);
    const auto out = machine.buffer(std::vector<int>(1024, -1));
    const auto in = machine.buffer(ramp(1024));
    Ran ran;
    ran.fault = machine.fault("k", {{1, 1, 1}, {threads, 1, 1}, 0, cluster}, *out, *in);
    ran.out = machine.values<int>(*out);
    return ran;
}

// Checks the fault's message, and that it is at the line that has "// here".
void expect_fault(const std::string& body, std::string_view kind, const std::string& message,
                  unsigned threads = 16, const Options& options = checked())
{
    const trace::Fault fault = run(body, options, threads).fault;
    EXPECT_EQ(fault.kind, kind) << fault.message;
    EXPECT_THAT(fault.message, HasSubstr(message));
    const std::string text = kernel(body);
    const auto line =
        1 + std::count(text.begin(),
                       text.begin() + static_cast<std::ptrdiff_t>(text.find("// here")), '\n');
    EXPECT_THAT(fault.message, HasSubstr(fmt::format("PTX line {},", line)));
}

std::string join(std::initializer_list<std::string_view> parts)
{
    std::string all;
    for (const std::string_view part : parts) all += part;
    return all;
}

TEST(BulkCopies, TakeEffectAtTheWait)
{
    const Ran ran = run(join({load, wait, show}));
    EXPECT_EQ(ran.fault.message, "");
    for (int i = 0; i < 16; ++i) EXPECT_EQ(ran.out[static_cast<std::size_t>(i)], i + 3);
    // Without the wait, an unchecked launch reads the old contents.
    Options unchecked;
    EXPECT_EQ(run(join({load, show}), unchecked).out[0], 0);
    expect_fault(join({load, show}), "race", "no thread has waited for that at its mbarrier");
    expect_fault(join({load, "bar.sync 0;\n", show}), "race", "no thread has waited");
}

TEST(BulkCopies, EveryReaderNeedsWaitOrBarrier)
{
    // Warp 1 reads only after warp 0 has waited, but through a flag that orders nothing.
    const std::string_view clear = "@%first st.shared.u32 [other], 0;\n";
    const std::string_view one_warp_waits = R"(
    setp.ge.u32 %q, %t, 32;
    @%q bra later;
waits:
    mbarrier.try_wait.parity.shared.b64 %p, [full], 0;
    @!%p bra waits;
    st.volatile.shared.u32 [other], 1;
    bra done;
later:
    ld.volatile.shared.u32 %r9, [other];
    setp.eq.u32 %p, %r9, 0;
    @%p bra later;
done:
)";
    EXPECT_EQ(run(join({clear, load, one_warp_waits, "bar.sync 0;\n", show}), checked(), 64)
                  .fault.message,
              "");
    expect_fault(join({clear, load, one_warp_waits, show}), "race",
                 "this thread has not waited for it at its mbarrier", 64);
}

TEST(BulkCopies, ParityOnePhaseAhead)
{
    std::string body = join({load, wait, show});
    const auto parity = body.find("[full], 0;");
    body.replace(parity, 10, "[full], 1;");
    expect_fault(body, "race", "no thread has waited"); // passes at once
    std::string twice = join({load, wait, R"(
again:
    mbarrier.try_wait.parity.shared.b64 %p, [full], 1; // here
    @!%p bra again;
)"});
    expect_fault(twice, "endless", "the parity may be that of the next phase");
}

TEST(BulkCopies, MismatchedByteCounts)
{
    const std::string waiting = R"(
waits:
    mbarrier.try_wait.parity.shared.b64 %p, [full], 0; // here
    @!%p bra waits;
)";
    std::string less = join({load, waiting});
    less.replace(less.find("[full], 64;"), 11, "[full], 96;");
    expect_fault(less, "endless", "expects 96 bytes and 64 have arrived");
    std::string more = join({load, waiting});
    more.replace(more.find("[full], 64;"), 11, "[full], 32;");
    expect_fault(more, "endless", "expects 32 bytes and 64 have arrived");
    std::string missing = join({load, waiting});
    missing.replace(missing.find("[full], 1;"), 10, "[full], 2;");
    expect_fault(missing, "endless", "1 of 2 arrivals are missing");
}

TEST(BulkCopies, OperandsAreChecked)
{
    const auto copy = [&](std::string_view operands) {
        return join({R"(
    @!%first bra done;
    mbarrier.init.shared.b64 [full], 1;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes )",
                     operands, "; // here\ndone:\n"});
    };
    EXPECT_EQ(run(copy("[buffer+16], [%in+16], 32, [full]")).fault.message, "");
    expect_fault(copy("[buffer+8], [%in], 32, [full]"), "misaligned",
                 "address in shared memory is 0x8, which is not a multiple of 16");
    expect_fault(copy("[buffer], [%in+8], 32, [full]"), "misaligned", "address in global memory");
    expect_fault(copy("[buffer], [%in], 24, [full]"), "misaligned", "number of bytes is 0x18");
    expect_fault(copy("[buffer], [%in+3072], 2048, [full]"), "out_of_bounds",
                 "reads 2048 bytes of global memory");
    expect_fault(copy("[buffer+2032], [%in], 2048, [full]"), "out_of_bounds",
                 "writes 2048 bytes of shared memory");
    expect_fault(copy("[buffer], [%in], 0xfffffff0, [full]"), "out_of_bounds",
                 "writes 4294967280 bytes of shared memory");
    expect_fault(copy("[buffer], [%in], 32, [empty]"), "barrier", "mbarrier.init has not");
    expect_fault(copy("[buffer], [%in], 32, [full+4]"), "misaligned", "not a multiple of 8");
    EXPECT_EQ(run(join({"@!%first bra done;\n",
                        "cp.async.bulk.prefetch.L2.global [%in], 1024;\ndone:\n"}))
                  .fault.message,
              "");
    expect_fault("cp.async.bulk.prefetch.L2.global [%in], 8192; // here\n", "out_of_bounds",
                 "reads 8192 bytes of global memory");
}

TEST(BulkCopies, MulticastToItsOwnBlock)
{
    const auto text = [](std::string_view mask) {
        std::string body = join({load, wait, show});
        const std::string from = "complete_tx::bytes [buffer], [%in], 64, [full];";
        body.replace(body.find(from), from.size(),
                     fmt::format("complete_tx::bytes.multicast::cluster.L2::cache_hint [buffer], "
                                 "[%in], 64, [full], {}, %rd9; // here",
                                 mask));
        body.insert(0, "createpolicy.fractional.L2::evict_first.b64 %rd9, 1.0;\n"
                       "mov.u16 %h1, 1; mov.u16 %h2, 3;\n");
        const auto last = body.rfind("// here");
        return body.erase(last, 7);
    };
    const Ran ran = run(text("%h1"));
    EXPECT_EQ(ran.fault.message, "");
    EXPECT_EQ(ran.out[15], 18);
    expect_fault(text("%h2"), "bad_address", "blocks 0x3 of its cluster");
}

// Threads write `buffer`, then thread 0 copies 64 bytes of it to `out`.
std::string store(std::string_view fence, std::string_view barrier, std::string_view after)
{
    return join({R"(
    mov.u32 %r1, buffer;
    mad.lo.u32 %r1, %t, 4, %r1;
    add.u32 %r2, %t, 100;
    st.shared.u32 [%r1], %r2;
)",
                 fence, barrier, R"(
    @!%first bra done;
    cp.async.bulk.global.shared::cta.bulk_group [%out], [buffer], 64; // here
    cp.async.bulk.commit_group;
)",
                 after, "done:\n"});
}

TEST(BulkCopies, ToGlobalMemory)
{
    for (const std::string_view after : {"cp.async.bulk.wait_group 0;\n", ""}) {
        const Ran ran = run(store("fence.proxy.async.shared::cta;\n", "bar.sync 0;\n", after));
        EXPECT_EQ(ran.fault.message, "");
        for (int i = 0; i < 17; ++i)
            EXPECT_EQ(ran.out[static_cast<std::size_t>(i)], i < 16 ? 100 + i : -1);
    }
    // One fence of the copying thread, after the barrier, is enough.
    EXPECT_EQ(run(store("bar.sync 0;\n", "fence.proxy.async;\n", "")).fault.message, "");
    expect_fault(store("", "bar.sync 0;\n", ""), "race", "without a fence.proxy.async after it");
    expect_fault(store("fence.proxy.async.global;\n", "bar.sync 0;\n", ""), "race",
                 "without a fence.proxy.async");
    expect_fault(store("fence.proxy.async;\n", "", ""), "race",
                 "nothing orders the copy after that");
}

TEST(BulkCopies, SourceIsKeptUntilItIsRead)
{
    const auto text = [](std::string_view wait) {
        std::string body = store("fence.proxy.async;\n", "bar.sync 0;\n", std::string(wait) + "\n");
        body.erase(body.find("// here"), 7);
        return body + "bar.sync 0;\nst.shared.u32 [%r1], 5; // here\n";
    };
    const Ran ran = run(text("cp.async.bulk.wait_group.read 0;"));
    EXPECT_EQ(ran.fault.message, "");
    EXPECT_EQ(ran.out[3], 103);
    EXPECT_EQ(run(text("cp.async.bulk.wait_group 0;")).fault.message, "");
    expect_fault(text(""), "race", "cp.async.bulk.wait_group.read by that thread is missing");
    expect_fault(text("cp.async.bulk.wait_group.read 1;"), "race", "may still read");
    // The wait comes too late for other threads if no barrier follows it.
    std::string late = text("cp.async.bulk.wait_group.read 0;");
    late.erase(late.rfind("bar.sync 0;"), 11);
    expect_fault(late, "race", "has read at PTX line");
}

// All threads read the buffer, then one fills it again.
TEST(BulkCopies, BufferIsRefilledAfterItsReaders)
{
    const auto text = [](std::string_view between, int thread) {
        std::string body = join({load, wait, show});
        body.erase(body.find("// here"), 7);
        return join({body, between,
                     fmt::format(R"(
    setp.eq.u32 %q, %t, {};
    @!%q bra refilled;
    mbarrier.arrive.expect_tx.shared.b64 %rd1, [full], 64;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buffer], [%in+64], 64, [full]; // here
refilled:
)",
                                 thread)});
    };
    EXPECT_EQ(run(text("bar.sync 0;\n", 0)).fault.message, "");
    EXPECT_EQ(run(text("bar.sync 0;\n", 32), checked(), 64).fault.message, "");
    EXPECT_EQ(run(text("bar.warp.sync 0xffff;\n", 0)).fault.message, "");
    expect_fault(text("", 0), "race", "nothing orders the copy after that");
    expect_fault(text("bar.warp.sync -1;\n", 32), "race", "nothing orders the copy after that", 64);
}

TEST(BulkCopies, TwoCopiesToOneAddress)
{
    std::string body = join({load, wait});
    body.insert(body.find("started:"),
                "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [buffer+32], [%in], "
                "64, [full]; // here\n");
    expect_fault(body, "race", "no thread has waited for that at its mbarrier");
}

TEST(BulkCopies, BarrierObjectIsInitialisedForAll)
{
    std::string body = join({"mov.u32 %r9, 0;\n", load, wait, show});
    body.erase(body.find("// here"), 7);
    body.erase(body.find("bar.sync 0;"), 11);
    const std::string arrives = "mbarrier.try_wait.parity.shared.b64 %p, [full], 0;";
    body.insert(body.find(arrives) + arrives.size(), " // here");
    expect_fault(body, "race", "thread (0, 0, 0)", 64);
}

TEST(BulkCopies, WithinTheBlock)
{
    const std::string text = join({R"(
    mov.u32 %r1, other;
    mad.lo.u32 %r1, %t, 4, %r1;
    st.shared.u32 [%r1], %t;
    @%first mbarrier.init.shared.b64 [full], 1;
    fence.proxy.async;
    bar.sync 0;
    @!%first bra waits;
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [full], 128;
    cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [buffer], [other], 64, [full];
    cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [buffer+64], [other], 64, [full];
)",
                                   wait, show});
    const Ran ran = run(text);
    EXPECT_EQ(ran.fault.message, "");
    EXPECT_EQ(ran.out[7], 7);
    // A GPU ends a launch without clusters.
    const trace::Fault fault = run(text, checked(), 16, std::nullopt).fault;
    EXPECT_EQ(fault.kind, "illegal_instruction");
    EXPECT_THAT(fault.message, HasSubstr("was launched without clusters"));
}

TEST(BulkCopies, BarrierObjectTracksStores)
{
    const std::string_view body = R"(
    @%first mbarrier.init.shared.b64 [full], 16;
    @%first st.shared.u32 [other], 5;
    bar.sync 0;
    mbarrier.arrive.expect_tx.shared.b64 %rd1, [full], 12;
    mov.u32 %r1, buffer;
    mad.lo.u32 %r1, %t, 8, %r1;
    add.u32 %r3, %t, 20;
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r1], {%t, %r3}, [full];
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [other], %t, [full];
)";
    const Ran ran = run(join({body, wait, R"(
    shr.u32 %r4, %t, 0;
    mov.u32 %r1, buffer;
    mad.lo.u32 %r1, %r4, 8, %r1;
    ld.shared.v2.u32 {%r5, %r6}, [%r1];
    ld.shared.u32 %r7, [other];
    add.u32 %r5, %r5, %r6;
    add.u32 %r5, %r5, %r7;
    mad.wide.u32 %rd2, %t, 4, %out;
    st.global.u32 [%rd2], %r5;
)"}));
    EXPECT_EQ(ran.fault.message, "");
    for (int i = 0; i < 16; ++i)
        EXPECT_EQ(ran.out[static_cast<std::size_t>(i)], 2 * i + 20 + 120 + 5);
    std::string early = join({body, "ld.shared.u32 %r7, [other]; // here\n"});
    expect_fault(early, "race", "no thread has waited");
}

TEST(BulkCopies, FillsWithZeros)
{
    const Ran ran =
        run(join({"@%first st.bulk.weak.shared::cta [buffer], 64, 0;\nbar.sync 0;\n", show}));
    EXPECT_EQ(ran.fault.message, "");
    EXPECT_EQ(ran.out[15], 0);
    const std::string generic = R"(
    mov.u64 %rd3, buffer;
    cvta.shared.u64 %rd3, %rd3;
    mov.u64 %rd4, 64;
    @%first st.bulk [%rd3], %rd4, 0;
    bar.sync 0;
)";
    EXPECT_EQ(run(join({generic, show})).fault.message, "");
    expect_fault("@%first st.bulk.weak.shared::cta [buffer], 60, 0; // here\n", "misaligned",
                 "not a multiple of 8");
    expect_fault("@%first st.bulk.weak [%out], 64, 0; // here\n", "bad_address",
                 "not in shared memory");
}

TEST(BulkCopies, ManyCopiesWithoutWait)
{
    // Each copy has a group of its own, whose source is read at once.
    const std::string body = R"(
    @!%first bra done;
    mov.u32 %r1, 0;
again:
    cp.async.bulk.global.shared::cta.bulk_group [%out], [buffer], 1024;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p, %r1, 4000;
    @%p bra again;
done:
)";
    for (const bool checks : {false, true}) {
        const Ran ran = run(body, checks ? checked() : Options{});
        EXPECT_EQ(ran.fault.message, "");
        EXPECT_EQ(ran.out.front(), 0);
    }
}

TEST(BulkCopies, EndAtTimeLimit)
{
    Options options;
    options.time_limit_s = 0.2;
    const std::string body = R"(
again:
    st.bulk.weak.shared::cta [buffer], 1024, 0;
    cp.async.bulk.global.shared::cta.bulk_group [%out], [buffer], 1024;
    bra again;
)";
    const Ran ran = run(body, options);
    EXPECT_EQ(ran.fault.kind, "time_limit");
}

TEST(BulkCopies, ReducesElements)
{
    // Returns the 16 bytes of `out` after an update by those of `in`.
    const auto reduced = [&](std::string_view operation, std::array<std::uint32_t, 4> old,
                             std::array<std::uint32_t, 4> given) {
        Machine machine = Machine::from_text(kernel(fmt::format(R"(
    @!%first bra done;
    ld.global.v4.u32 {{%r1, %r2, %r3, %r4}}, [%in];
    st.shared.v4.u32 [buffer], {{%r1, %r2, %r3, %r4}};
    fence.proxy.async;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.{} [%out], [buffer], 16;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
done:
)",
                                                                operation)),
                                             checked());
        const auto out = machine.buffer(std::vector<std::uint32_t>(old.begin(), old.end()));
        const auto in = machine.buffer(std::vector<std::uint32_t>(given.begin(), given.end()));
        machine.run("k", {{1, 1, 1}, {32, 1, 1}}, *out, *in);
        return machine.values<std::uint32_t>(*out);
    };
    EXPECT_THAT(reduced("add.u32", {1, 2, 3, 0xffffffff}, {10, 20, 30, 1}),
                ElementsAre(11, 22, 33, 0));
    EXPECT_THAT(reduced("min.s32", {1, 2, 3, 4}, {0xffffffff, 5, 3, 0}),
                ElementsAre(0xffffffff, 2, 3, 0));
    EXPECT_THAT(reduced("inc.u32", {1, 5, 7, 0}, {4, 5, 9, 0}), ElementsAre(2, 0, 8, 0));
    EXPECT_THAT(reduced("xor.b64", {1, 2, 3, 4}, {1, 1, 1, 1}), ElementsAre(0, 3, 2, 5));
    EXPECT_THAT(reduced("add.u64", {0xffffffff, 0, 1, 1}, {1, 0, 2, 3}), ElementsAre(0, 1, 3, 4));
    EXPECT_THAT(reduced("add.f32", {0x3f800000, 0, 0, 0}, {0x3f800000, 0x40000000, 0, 0}),
                ElementsAre(0x40000000, 0x40000000, 0, 0));
    EXPECT_THAT(reduced("add.noftz.f16", {0x3c003c00, 0, 0, 1}, {0x40003c00, 0x3c00, 0, 1}),
                ElementsAre(0x42004000, 0x3c00, 0, 2));
    EXPECT_THAT(reduced("max.bf16", {0x3f80bf80, 0, 0x7fc0, 0}, {0x40000000, 0x8000, 0x3f80, 0}),
                ElementsAre(0x40000000, 0, 0x3f80, 0));
    for (const char* wrong : {"inc.s32", "add.f16", "add.noftz.u32", "min.f32", "and.u32"}) {
        Machine machine = Machine::from_text(kernel(fmt::format(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.{} [%out], [buffer], 16;\n",
            wrong)));
        EXPECT_THROW(machine.module().kernel("k"), Error) << wrong;
    }
}

TEST(BulkCopies, WriteOnlyTheBytesOfTheMask)
{
    std::string body = store("fence.proxy.async;\n", "bar.sync 0;\n", "");
    const std::string whole = "bulk_group [%out], [buffer], 64;";
    body.replace(body.find(whole), whole.size(),
                 "bulk_group.cp_mask [%out], [buffer], 64, 0xf00f;");
    const Ran ran = run(body);
    EXPECT_EQ(ran.fault.message, "");
    EXPECT_THAT(std::vector<int>(ran.out.begin(), ran.out.begin() + 5),
                ElementsAre(100, -1, -1, 103, 104));
}

TEST(BulkCopies, AreCounted)
{
    Machine machine("bulk_sm_90");
    const auto data = machine.buffer(ramp(2 * tile));
    trace::Trace trace;
    machine.run_traced(&trace, "round_trip", {{2, 1, 1}, {96, 1, 1}}, *data);
    int sites = 0;
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        if (trace.sites[i].space != trace::Space::global) continue;
        ++sites;
        EXPECT_EQ(trace.counts[i].executions, 2u);
        EXPECT_EQ(trace.counts[i].requests, 2u);
        EXPECT_EQ(trace.counts[i].lanes, 2u);
        EXPECT_EQ(trace.counts[i].sectors, 2u * tile * sizeof(int) / 32);
        EXPECT_EQ(trace.counts[i].ideal_sectors, 2u * tile * sizeof(int) / 32);
    }
    EXPECT_EQ(sites, 2);
}

} // namespace
} // namespace lanescope::simt
