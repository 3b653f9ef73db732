// Single recorded requests: the active lanes of the warp, and their addresses.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

// Every kernel has %r1 = lane, %r2 = thread index in the block, and %rd3 = in + 4 × thread.
std::string kernel(std::string_view body)
{
    return fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u32 n)
{{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<8>;
    .shared .align 128 .b8 first[256];
    .shared .align 16 .b8 second[1024];
    ld.param.u64 %rd1, [in];
    ld.param.u32 %r9, [n];
    mov.u32 %r1, %laneid;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
{}
}}
)",
                       body);
}

struct Asked {
    trace::Trace trace;
    std::uint64_t in = 0;
};

// Launches two blocks of two warps; `in` is a buffer of 4096 bytes.
Asked ask(std::string_view body, int site, std::uint32_t warp, std::uint32_t occurrence,
          std::uint32_t n = 0)
{
    Machine machine = Machine::from_text(kernel(body));
    const auto in = machine.buffer(std::vector<std::uint8_t>(4096));
    Asked asked;
    asked.in = in->address();
    asked.trace.request.site = site;
    asked.trace.request.warp = warp;
    asked.trace.request.occurrence = occurrence;
    asked.trace.request.seen = asked.trace.request.active = 99; // the launch overwrites these
    asked.trace.request.addresses.fill(99);
    machine.run_traced(&asked.trace, "k", {{2, 1, 1}, {64, 1, 1}}, *in, n);
    return asked;
}

// first + lane × stride for the lanes in `mask`, zero elsewhere.
std::array<std::uint64_t, 32> lanes(std::uint32_t mask, std::uint64_t first, std::uint64_t stride)
{
    std::array<std::uint64_t, 32> addresses{};
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        if ((mask >> lane & 1) != 0) addresses[lane] = first + lane * stride;
    return addresses;
}

void expect_request(const trace::WatchedRequest& got, std::uint32_t seen, std::uint32_t active,
                    std::uint64_t first, std::uint64_t stride)
{
    EXPECT_EQ(got.seen, seen);
    EXPECT_EQ(got.active, active);
    EXPECT_EQ(got.addresses, lanes(active, first, stride));
}

// Lanes at 32 words, then at one: a pass for each word. Addresses are offsets in constant memory.
TEST(Requests, ConstantMemoryReadsWordByWord)
{
    Machine machine = Machine::from_text(R"(.version 8.0
.target sm_75
.address_size 64
.const .align 4 .b32 before[4];
.const .align 4 .b32 table[64];
.visible .entry k()
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %laneid;
    mul.wide.u32 %rd1, %r1, 8;
    mov.u64 %rd2, table;
    add.s64 %rd3, %rd2, %rd1;
    ld.const.u32 %r2, [%rd3];
    ld.const.u32 %r3, [table+12];
    ret;
}
)");
    trace::Trace trace;
    trace.request.site = 0;
    machine.run_traced(&trace, "k", {{1, 1, 1}, {32, 1, 1}});
    ASSERT_EQ(trace.sites.size(), 2u);
    EXPECT_EQ(trace.sites[0].space, trace::Space::constant);
    EXPECT_EQ(trace.counts[0].requests, 1u);
    EXPECT_EQ(trace.counts[0].wavefronts, 32u);
    EXPECT_EQ(trace.counts[0].ideal_wavefronts, 1u);
    EXPECT_EQ(trace.counts[1].wavefronts, 1u);
    EXPECT_EQ(trace.request.space, trace::Space::constant);
    const std::uint64_t first = trace.request.addresses[0];
    EXPECT_EQ(trace.request.addresses, lanes(full_mask, first, 8));
    const trace::Totals totals = trace.totals();
    EXPECT_EQ(totals.global_load.requests, 0u);
    EXPECT_EQ(totals.shared_load.requests, 0u);
}

// The words of 32 lanes at one address of local memory are contiguous.
TEST(Requests, LocalMemoryIsInterleaved)
{
    Machine machine = Machine::from_text(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k()
{
    .local .align 4 .b8 own[256];
    .reg .b32 %r<4>;
    mov.u32 %r1, 7;
    st.local.u32 [own+8], %r1;
    ret;
}
)");
    trace::Trace trace;
    trace.request.site = 0;
    machine.run_traced(&trace, "k", {{1, 1, 1}, {32, 1, 1}});
    EXPECT_EQ(trace.request.space, trace::Space::local);
    expect_request(trace.request, 1, full_mask, trace.request.addresses[0], 4);
    EXPECT_EQ(trace.counts[0].modelled_sectors, 4u);
}

TEST(Requests, FullWarp)
{
    const auto body = "ld.global.u32 %r3, [%rd3+8];\nret;";
    const Asked second_of_block = ask(body, 0, 3, 0);
    expect_request(second_of_block.trace.request, 1, full_mask, second_of_block.in + 8 + 128, 4);
    const Asked first_of_block = ask(body, 0, 2, 0);
    expect_request(first_of_block.trace.request, 1, full_mask, first_of_block.in + 8, 4);
}

TEST(Requests, MissingRequests)
{
    const auto body = "ld.global.u32 %r3, [%rd3];\nsetp.eq.u32 %p1, %r3, 7;\n@%p1 bra out;\n"
                      "st.global.u32 [%rd3], %r3;\nout:\nret;";
    expect_request(ask(body, 0, 1, 1).trace.request, 1, 0, 0, 0); // only one request was made
    expect_request(ask(body, 0, 4, 0).trace.request, 0, 0, 0, 0); // warp 4 of four warps
    expect_request(ask(body, 1, 1, 0).trace.request, 0, 0, 0, 0); // site 1 is a branch
    expect_request(ask(body, 3, 1, 0).trace.request, 0, 0, 0, 0); // site 3 of three sites
    const trace::WatchedRequest unwanted = ask(body, -1, 0, 0).trace.request;
    expect_request(unwanted, 0, 0, 0, 0);
}

TEST(Requests, BranchRecordsOnlyActiveLanes)
{
    const auto body = "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra even;\n"
                      "ld.global.u32 %r4, [%rd3];\neven:\nst.global.u32 [%rd3], %r1;\nret;";
    const Asked odd = ask(body, 1, 0, 0);
    expect_request(odd.trace.request, 1, 0xaaaaaaaa, odd.in, 4);
    const Asked all = ask(body, 2, 0, 0);
    expect_request(all.trace.request, 1, full_mask, all.in, 4);
}

// Lane i runs i / 8 + 1 iterations; each iteration loads 256 bytes further on.
TEST(Requests, LoopIterations)
{
    const auto body = "shr.u32 %r3, %r1, 3;\nloop:\nld.global.u32 %r4, [%rd3];\n"
                      "add.s64 %rd3, %rd3, 256;\nadd.s32 %r3, %r3, -1;\n"
                      "setp.ge.s32 %p1, %r3, 0;\n@%p1 bra loop;\nret;";
    for (std::uint32_t turn = 0; turn < 4; ++turn) {
        const Asked asked = ask(body, 0, 1, turn);
        expect_request(asked.trace.request, 4, full_mask << 8 * turn, asked.in + 128 + 256 * turn,
                       4);
    }
}

// The two halves of the warp call the same function separately.
TEST(Requests, DivergedCallsMakeSeparateRequests)
{
    const std::string text = ".version 8.0\n.target sm_75\n.address_size 64\n"
                             ".func look(.param .b64 at)\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"
                             "ld.param.u64 %rd1, [at];\nld.global.u32 %r1, [%rd1];\nret;\n}\n" +
                             [] {
                                 std::string entry = kernel(
                                     "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra low;\n"
                                     "{ .param .b64 p; st.param.b64 [p], %rd3; call look, (p); }\n"
                                     "bra out;\nlow:\nadd.s64 %rd3, %rd3, 512;\n"
                                     "{ .param .b64 p; st.param.b64 [p], %rd3; call look, (p); }\n"
                                     "out:\nret;");
                                 return entry.substr(entry.find(".visible"));
                             }();
    std::uint32_t together = 0;
    for (std::uint32_t part = 0; part < 2; ++part) {
        Machine machine = Machine::from_text(text);
        const auto in = machine.buffer(std::vector<std::uint8_t>(4096));
        trace::Trace trace;
        trace.request.site = 0;
        trace.request.occurrence = part;
        machine.run_traced(&trace, "k", {}, *in, 0u);
        const bool low = (trace.request.active & 1) != 0;
        expect_request(trace.request, 2, low ? 0xffff : 0xffff0000, in->address() + (low ? 512 : 0),
                       4);
        together |= trace.request.active;
    }
    EXPECT_EQ(together, full_mask);
}

// `second` starts at byte 256 of the block's shared memory, which starts in bank 0.
TEST(Requests, SharedAddressesStartAtBlockWindow)
{
    const auto body = "mov.u32 %r3, second;\nshl.b32 %r4, %r1, 3;\nadd.s32 %r3, %r3, %r4;\n"
                      "st.shared.u32 [%r3+4], %r1;\nmov.u32 %r5, first;\n"
                      "st.shared.u32 [%r5], %r1;\nret;";
    expect_request(ask(body, 0, 3, 0).trace.request, 1, full_mask, 256 + 4, 8);
}

TEST(Requests, GuardedInstruction)
{
    const auto body = "setp.lt.u32 %p1, %r1, %r9;\n@%p1 st.global.u32 [%rd3], %r1;\nret;";
    const Asked asked = ask(body, 0, 0, 0, 5);
    expect_request(asked.trace.request, 1, 0x1f, asked.in, 4);
    expect_request(ask(body, 0, 0, 0, 0).trace.request, 0, 0, 0, 0);
}

TEST(Requests, ReturnedLanesAreNotRecorded)
{
    const auto body = "setp.ge.u32 %p1, %r1, %r9;\n@%p1 ret;\nst.global.u32 [%rd3], %r1;\nret;";
    const Asked asked = ask(body, 0, 1, 0, 3);
    expect_request(asked.trace.request, 1, 7, asked.in + 128, 4);
}

// A generic access whose lanes point to both memory spaces makes two requests, the lowest lane's
// first.
TEST(Requests, GenericAccessToBothSpaces)
{
    const auto body = "mov.u64 %rd4, second;\ncvta.shared.u64 %rd5, %rd4;\n"
                      "add.s64 %rd5, %rd5, %rd2;\nsetp.lt.u32 %p1, %r1, 4;\n"
                      "selp.b64 %rd6, %rd5, %rd3, %p1;\nst.u32 [%rd6], %r1;\nret;";
    const Asked shared = ask(body, 0, 0, 0);
    expect_request(shared.trace.request, 2, 0xf, 256, 4);
    EXPECT_EQ(shared.trace.request.space, trace::Space::shared);
    const Asked global = ask(body, 0, 0, 1);
    expect_request(global.trace.request, 2, ~0xfu, global.in, 4);
    EXPECT_EQ(global.trace.request.space, trace::Space::global);
}

// The four warps reach the access one after another, each at the same per-warp step.
TEST(Requests, GenericAccessExecutesOncePerWarp)
{
    const Asked asked = ask("ld.u32 %r3, [%rd3];\nret;", 0, 0, 0);
    EXPECT_EQ(asked.trace.counts.at(0).executions, 4u);
    EXPECT_EQ(asked.trace.counts.at(0).requests, 4u);
}

} // namespace
} // namespace lanescope::simt
