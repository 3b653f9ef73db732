// Indices that wrap in 32 bits: faults name them as the cause, and accesses that stay inside a
// large buffer give a warning. Memory that no kernel touches costs nothing.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "compute/ptx/text/module.h"
#include "compute/ptx/uses/widened_indices.h"
#include "compute/simt/machine/memory/memory.h"
#include "compute/simt/machine/memory/zero_pages.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::size_t gib = std::size_t{1} << 30;

Options checked(bool precise)
{
    Options options;
    options.checks = Checks::all();
    options.survives_doubtful_results = true;
    options.precise_checks = precise;
    return options;
}

// Bytes of this process that are in memory.
std::size_t resident_bytes()
{
    std::ifstream file("/proc/self/statm");
    std::size_t pages = 0, resident = 0;
    file >> pages >> resident;
    return resident * 4096;
}

class Wrapped : public testing::TestWithParam<bool> {
protected:
    // Runs one warp with a buffer of that size, and returns the faults and warnings.
    std::vector<trace::Fault> faults(std::string_view kernel, std::size_t bytes, std::uint32_t size,
                                     std::size_t pointer = 0)
    {
        Machine machine("wrapped", checked(GetParam()));
        const auto buffer = machine.device().allocate(bytes);
        trace::Trace trace;
        try {
            machine.run_traced(&trace, kernel, {{1, 1, 1}, {32, 1, 1}, 0},
                               buffer->address() + pointer, size);
        } catch (const device::KernelFault&) {
            // It is in the trace.
        }
        return trace.faults;
    }
};
INSTANTIATE_TEST_SUITE_P(, Wrapped, testing::Bool(),
                         [](const auto& info) { return info.param ? "precise" : "fast"; });

TEST_P(Wrapped, FaultNamesTheExactIndex)
{
    const auto found = faults("rows", 4096, 1 << 28);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().kind, "out_of_bounds");
    // Thread 1 is past the end without wrapping.
    EXPECT_THAT(found.front().message, Not(HasSubstr("32 bits")));
    const auto wraps = faults("rows", 8 * gib, 100'000'000);
    ASSERT_EQ(wraps.size(), 1u);
    EXPECT_EQ(wraps.front().line, 5);
    EXPECT_THAT(wraps.front().message,
                AllOf(HasSubstr("thread (22, 0, 0)"), HasSubstr("because its index 22 × 100000000"),
                      HasSubstr(" = 2200000000 does not fit in 32 bits and became -2094967296"),
                      HasSubstr("cast to size_t")));
}

TEST(WrappedFactor, IsNamedWhereNothingElseReadsItsRegister)
{
    constexpr std::string_view text = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 words, .param .u32 width)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [words];
    ld.param.u32 %r1, [width];
    min.s32 %r2, %r1, 32774;
    mul.lo.s32 %r3, %r2, %r1;
    mul.wide.s32 %rd2, %r3, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r4, [%rd3];
    st.global.u32 [%rd1], %r4;
    ret;
}
)";
    for (const NativeCode way : {NativeCode::never, NativeCode::always, NativeCode::sometimes}) {
        Options options;
        options.native = way;
        Machine machine = Machine::from_text(text, options);
        const auto buffer = machine.buffer(std::vector<std::uint32_t>(32));
        EXPECT_THAT(machine.fault("k", {}, *buffer, std::uint32_t{65548}).message,
                    HasSubstr("its index 32774 × 65548 = 2148270152 does not fit in 32 bits"));
    }
}

TEST_P(Wrapped, WarnsOfAccessInsideBuffer)
{
    const auto found = faults("unsigned_rows", 7 * gib, 200'000'001);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().kind, "wrapped_index");
    EXPECT_EQ(found.front().line, 10);
    EXPECT_THAT(found.front().message,
                AllOf(HasSubstr("thread (22, 0, 0)"), HasSubstr("writes element 105032729 of"),
                      HasSubstr("instead of element 4400000025"), HasSubstr("200000001"),
                      HasSubstr("cast to size_t")));
    EXPECT_THAT(faults("wide_rows", 7 * gib, 200'000'001), IsEmpty());
    // Without the exact element in the buffer, another one may be meant.
    EXPECT_THAT(faults("unsigned_rows", 4 * gib + 4096, 200'000'001), IsEmpty());
}

TEST_P(Wrapped, NegativeIndexFromPointerInMiddleOfBuffer)
{
    const auto found = faults("plain_sum", 8 * gib, 0x7ffffff0, 4 * gib);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().kind, "wrapped_index");
    EXPECT_THAT(found.front().message,
                AllOf(HasSubstr("thread (16, 0, 0)"), HasSubstr("= 2147483648"),
                      HasSubstr("became -2147483648")));
    EXPECT_THAT(faults("plain_sum", 8 * gib, 0x7fffffe0, 4 * gib), IsEmpty());
}

// The difference of two products that wrap fits.
constexpr std::string_view difference = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry difference(.param .u64 p, .param .u32 width)
{
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [width];
    mov.u32 %r2, %tid.x;
    add.s32 %r3, %r2, 100000;
    mul.lo.s32 %r4, %r3, %r1;
    mul.lo.s32 %r5, %r1, 100000;
    sub.s32 %r6, %r4, %r5;
    mul.wide.s32 %rd2, %r6, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
})";

TEST_P(Wrapped, IgnoresHashesAndSumsThatFit)
{
    Machine machine = Machine::from_text(difference, checked(GetParam()));
    const auto values = machine.device().allocate(12 * gib);
    trace::Trace trace;
    machine.run_traced(&trace, "difference", {}, *values, 50'000u);
    EXPECT_THAT(trace.faults, IsEmpty());
    EXPECT_THAT(faults("hashed", 4 * gib, 0xffffffff), IsEmpty());
    EXPECT_THAT(faults("hashed", 4 * gib, 0x7fffffff), IsEmpty());
}

TEST_P(Wrapped, LargeBufferCostsThePagesTouched)
{
    Machine machine("wrapped", checked(GetParam()));
    const std::size_t before = resident_bytes();
    const auto buffer = machine.device().allocate(8 * gib);
    const auto kept = machine.device().snapshot();
    machine.run("wide_rows", {{1, 1, 1}, {32, 1, 1}, 0}, *buffer, 250'000'000u);
    EXPECT_LT(resident_bytes(), before + gib / 4);
    machine.device().restore(*kept);
    std::byte first{1};
    machine.device().download({&first, 1}, buffer->address() + 250'000'003);
    EXPECT_EQ(first, std::byte{0});
    EXPECT_LT(resident_bytes(), before + gib / 4);
}

TEST(NonzeroPages, RestoresEveryByte)
{
    std::vector<std::byte> bytes(3 * 4096 + 100);
    bytes[5] = bytes[2 * 4096] = bytes.back() = std::byte{7};
    const std::vector<std::byte> before = bytes;
    const NonzeroPages kept(bytes);
    EXPECT_EQ(kept.size(), bytes.size());
    for (const std::size_t at : {std::size_t{5}, std::size_t{4097}, bytes.size() - 2})
        bytes[at] = std::byte{1};
    kept.restore(bytes);
    EXPECT_EQ(bytes, before);
    NonzeroPages({}).restore({});
}

TEST(DeviceHeap, FullHeapIsNamedAsTheCauseOfANullPointer)
{
    Memory memory(false);
    EXPECT_EQ(memory.failed_heap_request(), 0u);
    EXPECT_NE(memory.allocate_heap(6 << 20), 0u);
    EXPECT_EQ(memory.allocate_heap(3 << 20), 0u);
    EXPECT_EQ(memory.failed_heap_request(), std::size_t{3} << 20);
    memory.set_heap_limit(std::size_t{16} << 20);
    EXPECT_NE(memory.allocate_heap(3 << 20), 0u);
}

TEST(WidenedIndices, AreSumsOfProducts)
{
    const ptx::Module module = ptx::parse(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mad.lo.s32 %r3, %r2, %r1, %r2;
    shl.b32 %r4, %r3, 2;
    or.b32 %r5, %r4, 3;
    mul.wide.s32 %rd2, %r5, 8;
    cvta.to.global.u64 %rd3, %rd1;
    add.s64 %rd4, %rd3, %rd2;
    st.global.u32 [%rd4+16], %r1;
    add.s32 %r6, %r6, %r6;
    mul.wide.s32 %rd5, %r6, 8;
    add.s64 %rd6, %rd3, %rd5;
    st.global.u32 [%rd6], %r1;
    ret;
})");
    const auto found = ptx::widened_indices(module.functions.front());
    ASSERT_EQ(found.size(), 2u);
    const ptx::WidenedIndex& index = found.front();
    EXPECT_EQ(index.pointer, 0);
    EXPECT_EQ(index.scale, 8);
    EXPECT_EQ(index.offset, 16);
    EXPECT_TRUE(index.is_signed);
    ASSERT_EQ(index.terms.size(), 3u); // 3 + 4 tid n + 4 tid
    std::vector<std::pair<std::size_t, std::int64_t>> terms;
    for (const ptx::IndexTerm& term : index.terms)
        terms.emplace_back(term.leaves.size(), term.factor);
    EXPECT_THAT(terms, testing::UnorderedElementsAre(testing::Pair(0, 3), testing::Pair(1, 4),
                                                     testing::Pair(2, 4)));
}

// A long text has many leaves: each index must have only its own.
TEST(WidenedIndices, HaveOnlyTheirOwnLeaves)
{
    constexpr int count = 2000;
    std::string text = fmt::format(".version 7.0\n.target sm_75\n.address_size 64\n"
                                   ".visible .entry k(.param .u64 p)\n{{\n"
                                   ".reg .b32 %r<9>; .reg .b32 %x<{0}>; .reg .b32 %y<{0}>;\n"
                                   ".reg .b64 %rd<9>; .reg .b64 %a<{0}>; .reg .b64 %b<{0}>;\n"
                                   "ld.param.u64 %rd1, [p];\n",
                                   count);
    for (int i = 0; i < count; ++i)
        text += fmt::format("mad.lo.s32 %y{0}, %x{0}, 3, 1;\nmul.wide.s32 %a{0}, %y{0}, 4;\n"
                            "add.s64 %b{0}, %rd1, %a{0};\nld.global.u32 %r1, [%b{0}];\n",
                            i);
    const ptx::Module module = ptx::parse(text + "ret;\n}\n");
    const ptx::Function& kernel = module.functions.front();
    const auto found = ptx::widened_indices(kernel);
    ASSERT_EQ(found.size(), static_cast<std::size_t>(count));
    for (const ptx::WidenedIndex& index : found) {
        ASSERT_EQ(index.leaves.size(), 1u);
        const auto alone = ptx::widened_index(kernel, index.instruction);
        ASSERT_TRUE(alone);
        EXPECT_EQ(alone->leaves, index.leaves);
    }
    EXPECT_FALSE(ptx::widened_index(kernel, 0));
}

} // namespace
} // namespace lanescope::simt
