// A thousand generated kernels: with a race between blocks, without one, or with data passed from
// block to block. Exactly the races are found, and neither results nor reports depend on the number
// of cores.
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t words = 4096; // number of words in each buffer

// Parameters of a generated kernel. `in` is only read; `data` and `flags` are shared by all blocks.
struct Shape {
    std::uint32_t blocks = 4;
    std::uint32_t threads = 64;
    std::uint32_t factor = 1;
    std::uint32_t offset = 0;
    int variant = 0;
};

std::string kernel(const std::string& body)
{
    return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 data, .param .u64 flags)
{
    .reg .pred %p<8>;
    .reg .b16 %h<4>;
    .reg .b32 %r<40>;
    .reg .b64 %rd<20>;
    .shared .align 4 .b8 last[4];
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [data];
    ld.param.u64 %rd3, [flags];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.s32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %rd4, %r4, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd6, %rd2, %rd4;
    mul.wide.u32 %rd7, %r2, 4;
    add.s64 %rd8, %rd3, %rd7;
)" + body + "    ret;\n}\n";
}

// No races: each block uses its own data, or the operations commute.
std::string apart(const Shape& s)
{
    switch (s.variant) {
    case 0: // a permutation: times an odd factor, modulo a power of two
        return fmt::format(R"(
    mad.lo.s32 %r5, %r4, {}, {};
    and.b32 %r5, %r5, {};
    mul.wide.u32 %rd9, %r5, 4;
    add.s64 %rd10, %rd2, %rd9;
    ld.global.u32 %r6, [%rd5];
    ld.global.u32 %r7, [%rd10];
    add.s32 %r6, %r6, %r7;
    st.global.u32 [%rd10], %r6;
)",
                           2 * s.factor + 1, s.offset, words - 1);
    case 1: // reads neighbours' elements in memory that no block writes
        return fmt::format(R"(
    ld.global.u32 %r5, [%rd5+{}];
    ld.global.u32 %r6, [%rd5];
    mad.lo.s32 %r7, %r5, {}, %r6;
    st.global.u32 [%rd6], %r7;
)",
                           4 * s.offset, s.factor);
    case 2: // sums, whose order does not matter
        return fmt::format(R"(
    and.b32 %r5, %r4, {};
    mul.wide.u32 %rd9, %r5, 4;
    add.s64 %rd10, %rd2, %rd9;
    ld.global.u32 %r6, [%rd5];
    red.global.add.u32 [%rd10], %r6;
)",
                           s.factor);
    case 3: // stores single bytes; neighbouring blocks share words
        return fmt::format(R"(
    cvt.u64.u32 %rd9, %r4;
    add.s64 %rd10, %rd2, %rd9;
    ld.global.u8 %h1, [%rd5];
    st.global.u8 [%rd10+{}], %h1;
)",
                           s.offset);
    default: // all blocks store the same value
        return fmt::format("    mov.u32 %r5, {};\n    st.global.u32 [%rd2+{}], %r5;\n", s.factor,
                           4 * s.offset);
    }
}

std::string racing(const Shape& s)
{
    switch (s.variant) {
    case 0: // reads what the next block writes
        return fmt::format(R"(
    ld.global.u32 %r5, [%rd5];
    st.global.u32 [%rd6], %r5;
    bar.sync 0;
    ld.global.u32 %r6, [%rd6+{}];
    add.s32 %r6, %r6, %r5;
    st.global.u32 [%rd6], %r6;
)",
                           4 * s.threads);
    case 1: // two blocks store different values to one element
        return fmt::format(R"(
    add.s32 %r5, %r1, {};
    mul.wide.u32 %rd9, %r5, 4;
    add.s64 %rd10, %rd2, %rd9;
    mad.lo.s32 %r6, %r2, {}, 7;
    st.global.u32 [%rd10], %r6;
)",
                           s.offset, s.factor + 1);
    case 2: // reads a sum of all blocks without waiting for them
        return fmt::format(R"(
    add.s32 %r6, %r1, {};
    red.global.add.u32 [%rd2], %r6;
    bar.sync 0;
    ld.global.u32 %r5, [%rd2];
    add.s32 %r5, %r5, %r4;
    st.global.u32 [%rd6+{}], %r5;
)",
                           s.factor, 4 * words / 2);
    default: // a flag without a fence: the data may arrive later
        return R"(
    ld.global.u32 %r5, [%rd5];
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra mine;
wait:
    ld.volatile.global.u32 %r6, [%rd8+-4];
    setp.eq.u32 %p2, %r6, 0;
    @%p2 bra wait;
    bar.sync 0;
    mul.wide.u32 %rd9, %r3, 4;
    sub.s64 %rd10, %rd6, %rd9;
    ld.global.u32 %r7, [%rd10];
    add.s32 %r5, %r5, %r7;
mine:
    st.global.u32 [%rd6], %r5;
    bar.sync 0;
    setp.ne.u32 %p3, %r1, 0;
    @%p3 bra done;
    mov.u32 %r8, 1;
    st.volatile.global.u32 [%rd8], %r8;
done:
)";
    }
}

// Passes data in order: each block waits for the previous one, or the last sums all results.
std::string handed_over(const Shape& s)
{
    if (s.variant == 3)
        return fmt::format(R"(
    ld.global.u32 %r5, [%rd5];
    mad.lo.s32 %r5, %r5, {}, %r4;
    st.global.u32 [%rd6], %r5;
    membar.gl;
    bar.sync 0;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra counted;
    membar.gl;
    mov.u32 %r6, %nctaid.x;
    add.s32 %r6, %r6, -1;
    atom.global.inc.u32 %r7, [%rd3], %r6;
    setp.eq.u32 %p2, %r7, %r6;
    selp.u32 %r8, 1, 0, %p2;
    st.shared.u32 [last], %r8;
counted:
    bar.sync 0;
    ld.shared.u32 %r9, [last];
    setp.eq.u32 %p3, %r9, 0;
    @%p3 bra done;
    mov.u32 %r10, 0;
    mov.u32 %r11, 0;
    mul.wide.u32 %rd9, %r1, 4;
    add.s64 %rd10, %rd2, %rd9;
    mul.wide.u32 %rd11, %r3, 4;
    mov.u32 %r12, %nctaid.x;
sum:
    ld.global.u32 %r13, [%rd10];
    add.s32 %r10, %r10, %r13;
    add.s64 %rd10, %rd10, %rd11;
    add.s32 %r11, %r11, 1;
    setp.lt.u32 %p4, %r11, %r12;
    @%p4 bra sum;
    st.global.u32 [%rd6+{}], %r10;
done:
)",
                           s.factor, 4 * words / 2);
    const std::array<std::string, 3> waits{"ld.volatile.global.u32 %r6, [%rd8+-4];",
                                           "ld.acquire.gpu.global.u32 %r6, [%rd8+-4];",
                                           "atom.global.add.u32 %r6, [%rd8+-4], 0;"};
    const std::array<std::string, 3> tells{
        "membar.gl;\n    st.volatile.global.u32 [%rd8], %r8;",
        "st.release.gpu.global.u32 [%rd8], %r8;",
        "membar.gl;\n    atom.global.exch.b32 %r9, [%rd8], %r8;"};
    const auto variant = static_cast<std::size_t>(s.variant);
    return fmt::format(R"(
    ld.global.u32 %r5, [%rd5];
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra mine;
    setp.ne.u32 %p4, %r1, 0;
    @%p4 bra seen;
wait:
    {}
    setp.eq.u32 %p2, %r6, 0;
    @%p2 bra wait;
seen:
    bar.sync 0;
    mul.wide.u32 %rd9, %r3, 4;
    sub.s64 %rd10, %rd6, %rd9;
    ld.global.u32 %r7, [%rd10];
    mad.lo.s32 %r5, %r7, {}, %r5;
mine:
    st.global.u32 [%rd6], %r5;
    bar.sync 0;
    setp.ne.u32 %p3, %r1, 0;
    @%p3 bra done;
    mov.u32 %r8, 1;
    {}
done:
)",
                       waits[variant], s.factor, tells[variant]);
}

struct Outcome {
    std::string kind = "none";
    std::string message;
    std::vector<std::uint32_t> data, flags;
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run(const std::string& text, const Shape& shape, int cores)
{
    Options options;
    options.threads = cores;
    options.checks = Checks::all();
    Machine machine = Machine::from_text(text, options);
    std::vector<std::uint32_t> start(words);
    std::mt19937 random(shape.factor);
    for (std::uint32_t& value : start) value = static_cast<std::uint32_t>(random());
    const auto in = machine.buffer(start);
    const auto data = machine.buffer(std::vector<std::uint32_t>(words));
    const auto flags = machine.buffer(std::vector<std::uint32_t>(64));
    const trace::Fault fault =
        machine.fault("k", {{shape.blocks, 1, 1}, {shape.threads, 1, 1}, 0}, *in, *data, *flags);
    return {fault.kind, fault.message, machine.values<std::uint32_t>(*data),
            machine.values<std::uint32_t>(*flags)};
}

template <class Make>
void expect(int count, int variants, const std::string& kind, Make make)
{
    std::mt19937 random(20261122);
    const auto below = [&](std::uint32_t limit) {
        return static_cast<std::uint32_t>(random()) % limit;
    };
    for (int i = 0; i < count; ++i) {
        const Shape shape{.blocks = 2 + below(7),
                          .threads = 32 * (1 + below(4)),
                          .factor = 1 + below(30),
                          .offset = below(60),
                          .variant = i % variants};
        const std::string text = kernel(make(shape));
        const Outcome one = run(text, shape, 1);
        ASSERT_EQ(one.kind, kind) << one.message << "\n" << text;
        if (kind == "race") {
            EXPECT_THAT(one.message, HasSubstr("which thread ("));
            EXPECT_THAT(one.message, HasSubstr("block (0, 0, 0)"));
            EXPECT_THAT(one.message, HasSubstr("block (1, 0, 0)"));
        }
        const int cores = 2 + i % 3;
        ASSERT_EQ(run(text, shape, cores), one) << cores << "\n" << text;
    }
}

TEST(BlockOrder, RacesBetweenBlocksAreFound)
{
    expect(334, 4, "race", racing);
}

TEST(BlockOrder, DisjointBlocksAreAccepted)
{
    expect(333, 5, "none", apart);
}

TEST(BlockOrder, SynchronisedHandoverIsNotARace)
{
    expect(333, 4, "none", handed_over);
}

} // namespace
} // namespace lanescope::simt
