// Loads that are checked and counted as a batch, and accesses whose addresses have only been
// shifted since the previous one, give the values, counts and faults of individual accesses.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

struct Width {
    int bytes;
    const char* type;
    const char* values;
};
constexpr std::array<Width, 5> widths{{{1, "u8", "%r1"},
                                       {2, "u16", "%r1"},
                                       {4, "u32", "%r1"},
                                       {8, "v2.u32", "{%r1, %r2}"},
                                       {16, "v4.u32", "{%r1, %r2, %r3, %r4}"}}};

// Fills the tile; then each thread sums what it loads at tid / fold * stride + each offset, from
// the tile or from `from`. `store` is code between the first load and the others.
std::string kernel(const Width& width, bool shared, const std::vector<int>& offsets, int fold,
                   int stride, int tile, const std::string& store = "")
{
    std::string loads;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        loads += fmt::format("    ld.{}.{} {}, [%rd4+{}];\n    add.s32 %r9, %r9, %r1;\n",
                             shared ? "shared" : "global", width.type, width.values, offsets[i]);
        if (width.bytes > 4) loads += "    add.s32 %r9, %r9, %r2;\n";
        if (i == 0) loads += store;
    }
    return fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<12>;
    .shared .align 128 .b8 tile[{2}];
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [to];
    mov.u32 %r5, %tid.x;
    mov.u32 %r6, %ctaid.x;
    mov.u32 %r7, %ntid.x;
    mul.lo.u32 %r8, %r5, 4;
    mov.u64 %rd6, tile;
    cvt.u64.u32 %rd7, %r8;
    add.s64 %rd7, %rd6, %rd7;
    mov.u32 %r9, 0;
fill:
    mad.lo.u32 %r10, %r8, 77, 12345;
    st.shared.u32 [%rd7], %r10;
    add.s64 %rd7, %rd7, 256;
    add.s32 %r8, %r8, 256;
    setp.lt.u32 %p1, %r8, {2};
    @%p1 bra fill;
    bar.sync 0;
    div.u32 %r11, %r5, {3};
    mul.wide.u32 %rd3, %r11, {4};
    add.s64 %rd4, %rd3, {0};
{1}
    mad.lo.u32 %r12, %r6, %r7, %r5;
    mul.wide.u32 %rd8, %r12, 4;
    add.s64 %rd9, %rd2, %rd8;
    st.global.u32 [%rd9], %r9;
    ret;
}}
)",
                       shared ? "%rd6" : "%rd1", loads, tile, fold, stride);
}

constexpr int bytes = 4096;

struct Result {
    trace::Fault fault;
    trace::Trace trace;
    std::vector<int> sums;
};

// Without checks each load is counted individually.
Result run(const std::string& text, bool checked, std::size_t initialised = bytes,
           std::uint32_t blocks = 3)
{
    Options options;
    options.threads = 1;
    if (checked) options.checks = Checks::all();
    Machine machine = Machine::from_text(text, options);
    const auto from = machine.device().allocate(bytes);
    std::vector<std::uint8_t> values(initialised);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i * 37);
    device::upload<std::uint8_t>(machine.device(), from->address(), values);
    const auto to = machine.buffer(std::vector<int>(192));
    Result result;
    try {
        machine.run_traced(&result.trace, "k", {{blocks, 1, 1}, {64, 1, 1}, 0}, *from, *to);
    } catch (const device::KernelFault& fault) {
        result.fault = fault.fault();
    }
    result.sums = machine.values<int>(*to);
    return result;
}

TEST(Batches, CountsEqualThoseOfSingleLoads)
{
    const std::vector<std::vector<int>> spreads{
        {0, 1, 2, 3}, {3, 0, 0, 1}, {0, 16, 32, 48}, {-1, 5, 0, 12, 2}, {7, 8}};
    for (const Width& width : widths)
        for (const bool shared : {false, true})
            for (const auto& spread : spreads)
                for (const int fold : {1, 3, 16, 64})
                    for (const int stride : {1, 2, 17}) {
                        if (64 / fold * stride + 50 > bytes / width.bytes) continue;
                        std::vector<int> offsets;
                        for (int offset : spread) offsets.push_back((offset + 1) * width.bytes);
                        const std::string text =
                            kernel(width, shared, offsets, fold, stride * width.bytes, bytes);
                        const Result want = run(text, false);
                        const Result got = run(text, true);
                        ASSERT_EQ(got.fault.message, "") << text;
                        ASSERT_EQ(got.sums, want.sums) << text;
                        ASSERT_EQ(got.trace.counts, want.trace.counts) << text;
                        ASSERT_EQ(got.trace.warps, want.trace.warps) << text;
                    }
}

TEST(Batches, FaultNamesTheFaultyLoad)
{
    const Width& word = widths[2];
    const auto line_of = [](const std::string& text, const std::string& part) {
        return 1 + static_cast<int>(std::count(
                       text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(part)),
                       '\n'));
    };
    for (const bool checked : {false, true}) {
        const std::string past = kernel(word, false, {0, 4, bytes, 8}, 1, 4, bytes);
        const Result outside = run(past, checked);
        EXPECT_EQ(outside.fault.kind, "out_of_bounds");
        EXPECT_NE(outside.fault.message.find(fmt::format("line {}", line_of(past, "+4096]"))),
                  std::string::npos)
            << outside.fault.message;
        const Result end = run(kernel(word, true, {0, 4, bytes - 64, 8}, 1, 4, bytes), checked);
        EXPECT_EQ(end.fault.kind, "out_of_bounds");
        EXPECT_EQ(end.fault.thread, (Dim3{32, 0, 0}));
    }
    // The last sixteen words are uninitialised; only one load reaches them.
    const std::string text = kernel(word, false, {0, 4, 1024, 8}, 1, 4, bytes);
    EXPECT_EQ(run(text, true, 1024 + 256).fault.kind, "");
    const Result unset = run(text, true, 1024 + 192);
    EXPECT_EQ(unset.fault.kind, "uninitialised");
    EXPECT_EQ(unset.fault.thread, (Dim3{48, 0, 0}));
}

TEST(Batches, SeeInterveningStores)
{
    // The second load reads bytes that are uninitialised unless `store` has written them.
    const std::string store = "    add.s64 %rd10, %rd4, 2048;\n    st.global.u32 [%rd10], %r5;\n";
    const std::string text = kernel(widths[2], false, {0, 2048}, 1, 4, 256, store);
    const Result sees = run(text, true, 2048, 1);
    EXPECT_EQ(sees.fault.message, "");
    EXPECT_EQ(run(kernel(widths[2], false, {0, 2048}, 1, 4, 256), true, 2048, 1).fault.kind,
              "uninitialised");
}

TEST(Batches, FindRaceOfSingleLoad)
{
    // Each thread stores to its element and loads it back. In the second kernel it also loads the
    // next element, which for the last lane is another warp's, without a barrier.
    const std::string store = "    st.shared.u32 [%rd4], %r5;\n";
    const Width& word = widths[2];
    EXPECT_EQ(run(kernel(word, true, {0, 0, 0}, 1, 4, bytes, store), true).fault.kind, "");
    EXPECT_EQ(run(kernel(word, true, {0, 0, 4}, 1, 4, bytes, store), true).fault.kind, "race");
}

// Warps move through memory with 24 loads and stores each. The lanes keep their distances (all are
// shifted by `step` bytes) except in iteration 12, which permutes them. A guard, which is always
// true, has one effect: the machine checks each access individually.
std::string walk(const Width& width, bool shared, int fold, int step, bool guarded)
{
    const std::string space = shared ? "shared" : "global";
    const std::string guard = guarded ? "@%p3 " : "";
    return fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to)
{{
    .reg .pred %p<4>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<12>;
    .shared .align 128 .b8 tile[4096];
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [to];
    mov.u32 %r5, %tid.x;
    mov.u32 %r6, %ctaid.x;
    setp.ge.u32 %p3, %r5, 0;
    mul.wide.u32 %rd6, %r5, 4;
    mov.u64 %rd7, tile;
    add.s64 %rd6, %rd7, %rd6;
    mov.u32 %r7, 0;
fill:
    mad.lo.u32 %r8, %r5, 77, %r7;
    st.shared.u32 [%rd6], %r8;
    add.s64 %rd6, %rd6, 256;
    add.s32 %r7, %r7, 1;
    setp.lt.u32 %p1, %r7, 16;
    @%p1 bra fill;
    mul.lo.u32 %r9, %r6, 4096;
    cvt.u64.u32 %rd8, %r9;
    add.s64 %rd1, %rd1, %rd8;
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
    mov.u32 %r4, 0;
    mov.u32 %r10, 0;
    mov.u32 %r12, %r5;
    mov.u32 %r13, 0;
    mov.u32 %r14, 0;
turn:
    bar.sync 0;
    setp.eq.u32 %p2, %r10, 12;
    @%p2 xor.b32 %r12, %r12, 5;
    div.u32 %r11, %r12, {fold};
    mad.lo.u32 %r11, %r11, {bytes}, %r13;
    cvt.u64.u32 %rd3, %r11;
    add.s64 %rd4, {base}, %rd3;
    {guard}ld.{space}.{type} {values}, [%rd4];
    add.s32 %r14, %r14, %r1;
    xor.b32 %r14, %r14, %r4;
    {guard}ld.{space}.{type} {values}, [%rd4+{bytes}];
    mad.lo.s32 %r14, %r14, 3, %r1;
    and.b32 %r11, %r5, 31;
    mul.lo.u32 %r11, %r11, {bytes};
    shr.u32 %r15, %r5, 5;
    mad.lo.u32 %r11, %r15, 544, %r11;
    add.s32 %r11, %r11, %r13;
    cvt.u64.u32 %rd3, %r11;
    add.s64 %rd5, {base}, %rd3;
    bar.sync 0;
    {guard}st.{space}.{type} [%rd5+1536], {values};
    add.s32 %r13, %r13, {step};
    add.s32 %r10, %r10, 1;
    setp.lt.u32 %p1, %r10, 24;
    @%p1 bra turn;
    mad.lo.u32 %r11, %r6, 64, %r5;
    mul.wide.u32 %rd8, %r11, 4;
    add.s64 %rd9, %rd2, %rd8;
    st.global.u32 [%rd9], %r14;
    ret;
}}
)",
                       fmt::arg("fold", fold), fmt::arg("bytes", width.bytes),
                       fmt::arg("base", shared ? "%rd7" : "%rd1"), fmt::arg("guard", guard),
                       fmt::arg("space", space), fmt::arg("type", width.type),
                       fmt::arg("values", width.values), fmt::arg("step", step));
}

TEST(Batches, MovingAddressesCountSeparately)
{
    for (const Width& width : widths)
        for (const bool shared : {false, true})
            for (const int fold : {1, 2, 16})
                for (const int steps : {0, 1, 3, 8}) {
                    const int step = std::min(steps * width.bytes, 32);
                    for (const bool checked : {false, true}) {
                        Options options;
                        options.threads = 1;
                        // Off unless `checked`: the kernel races with other blocks and warps on
                        // purpose.
                        options.checks.uninitialised = checked;
                        const auto outcome = [&](bool guarded) {
                            const std::string text = walk(width, shared, fold, step, guarded);
                            Machine machine = Machine::from_text(text, options);
                            const auto from = machine.buffer(numbers(3 * 1024, 1 << 30));
                            const auto to = machine.buffer(std::vector<int>(192));
                            Result result;
                            machine.run_traced(&result.trace, "k", {{3, 1, 1}, {64, 1, 1}, 0},
                                               *from, *to);
                            result.sums = machine.values<int>(*to);
                            for (int word : machine.values<int>(*from)) result.sums.push_back(word);
                            return result;
                        };
                        const Result got = outcome(false), want = outcome(true);
                        ASSERT_EQ(got.sums, want.sums)
                            << walk(width, shared, fold, step, false) << checked;
                        ASSERT_EQ(got.trace.counts, want.trace.counts)
                            << walk(width, shared, fold, step, false) << checked;
                        ASSERT_EQ(got.trace.warps, want.trace.warps);
                    }
                }
}

// Misaligned addresses: one lane's, or those of all lanes after a shift.
TEST(Batches, MovingAddressesStayAligned)
{
    const auto kind = [](int start, int step) {
        const std::string text = fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 from)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [from];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    add.s64 %rd3, %rd3, {};
    mov.u32 %r2, 0;
turn:
    ld.global.u32 %r3, [%rd3];
    add.s64 %rd3, %rd3, {};
    add.s32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 3;
    @%p1 bra turn;
    ret;
}}
)",
                                             start, step);
        Machine machine = Machine::from_text(text);
        const auto from = machine.buffer(std::vector<int>(256));
        return machine.fault("k", {{1, 1, 1}, {32, 1, 1}, 0}, *from).kind;
    };
    EXPECT_EQ(kind(0, 4), "none");
    EXPECT_EQ(kind(0, 2), "misaligned");
    EXPECT_EQ(kind(2, 4), "misaligned");
    EXPECT_EQ(kind(0, 500), "out_of_bounds");
    EXPECT_EQ(kind(0, -64), "out_of_bounds");
}

} // namespace
} // namespace lanescope::simt
