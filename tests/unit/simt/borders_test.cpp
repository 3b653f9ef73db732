// Addresses, sizes and counts for which sums and products overflow: no kernel accesses memory
// outside its buffers, with the interpreter or with native code.
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/error.h"
#include "compute/simt/debug/values.h"
#include "compute/simt/machine/memory/memory.h"
#include "compute/thread_time.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::HasSubstr;

constexpr std::array ways{NativeCode::never, NativeCode::always, NativeCode::sometimes};

// A kernel `k(p, q)` of 32 threads around `body`; %rd1 is p, %rd2 is q, %rd3 the tile.
std::string text_of(std::string_view body, std::string_view module = {})
{
    return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.const .align 16 .b8 fixed[64] = {{1, 2, 3, 4}};
.global .align 16 .b8 space[64];
{}
.visible .entry k(.param .u64 p, .param .u64 q)
{{
    .reg .pred %p<4>;
    .reg .b32 %r<16>;
    .reg .f32 %f<8>;
    .reg .b64 %rd<16>;
    .shared .align 128 .b8 tile[1024];
    .local .align 16 .b8 own[64];
    ld.param.u64 %rd1, [p];
    ld.param.u64 %rd2, [q];
    mov.u64 %rd3, tile;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    {}
    ret;
}}
)",
                       module, body);
}

std::string refusal_of(const std::string& text)
{
    try {
        Machine machine = Machine::from_text(text);
        auto p = machine.buffer(std::vector<std::uint32_t>(64));
        machine.run("k", {}, *p, *p);
    } catch (const device::KernelFault&) {
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

// Loads at p, far past p, and at p again: the first and the last address are in the buffer.
constexpr std::string_view far_between_two_near = R"(
    add.u64 %rd4, %rd1, 0x8000000000000004;
    mov.u32 %r9, 0;
again:
    ld.global.u32 %r3, [%rd4+-9223372036854775808];
    ld.global.u32 %r4, [%rd4+-9223372036853726980];
    ld.global.u32 %r5, [%rd4+9223372036854775804];
    st.global.u32 [%rd2], %r4;
    add.u32 %r9, %r9, 1;
    setp.lt.u32 %p1, %r9, 3;
    @%p1 bra again;)";

TEST(Borders, OffsetsBeyond32BitsFault)
{
    const std::vector<std::string> bodies{
        std::string(far_between_two_near),
        "ld.global.u32 %r3, [%rd1+2147483648];",
        "ld.global.u32 %r3, [%rd1+-2147483649];",
        "add.u64 %rd4, %rd1, 4294967296; ld.global.u32 %r3, [%rd4+-4294967296];",
        "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd1+0xffffffff00000000];",
        "st.global.u32 [%rd1+4294967296], %r1;",
        "ld.shared.u32 %r3, [%rd3+4294967296];",
        "cvt.u32.u64 %r8, %rd3; ld.shared.u32 %r3, [%r8+4294967296];",
        "ld.shared.u32 %r3, [tile+4294967296];",
        "ld.global.u32 %r3, [space+9223372036854775807];",
        "ld.const.u32 %r3, [fixed+4294967296];",
        "ld.local.u32 %r3, [own+4294967296];",
        "st.local.u32 [own+-9223372036854775808], %r3;",
        "ld.u32 %r3, [%rd1+4294967296];",
        "atom.global.add.u32 %r3, [%rd1+4294967296], 1;",
        "red.shared.add.u32 [%rd3+4294967296], 1;",
        "cp.async.ca.shared.global [%rd3+4294967296], [%rd1], 4;",
        "cp.async.ca.shared.global [%rd3], [%rd1+4294967296], 4;",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%rd3+4294967296];",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd3+4294967296], {%r3};",
        "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, "
        "%f7}, [%rd1+4294967296];",
        "mbarrier.init.shared.b64 [%rd3+4294967296], 1;",
    };
    for (const NativeCode way : ways)
        for (const std::string& body : bodies) {
            SCOPED_TRACE(body);
            Options options;
            options.native = way;
            Machine machine = Machine::from_text(text_of(body), options);
            const std::vector<std::uint32_t> before(64, 5);
            auto p = machine.buffer(before);
            auto q = machine.buffer(before);
            const trace::Fault fault = machine.fault("k", {}, *p, *q);
            EXPECT_EQ(fault.kind, "out_of_bounds");
            EXPECT_EQ(fault.thread, (Dim3{0, 0, 0}));
            EXPECT_THAT(fault.message, HasSubstr("signed 32-bit numbers"));
            EXPECT_EQ(machine.values<std::uint32_t>(*p), before);
            EXPECT_EQ(machine.values<std::uint32_t>(*q), before);
        }
}

// Offsets that are never used: a guard is false in all threads, or the access is only a hint.
TEST(Borders, UnusedOffsetsBeyond32BitsDoNotFault)
{
    for (const std::string_view body :
         {"setp.gt.u32 %p1, %r1, 99; @%p1 ld.global.u32 %r3, [%rd1+4294967296];",
          "prefetch.global.L2 [%rd1+4294967296];"}) {
        Machine machine = Machine::from_text(text_of(body));
        auto p = machine.buffer(std::vector<std::uint32_t>(64));
        EXPECT_EQ(machine.fault("k", {}, *p, *p).kind, "none") << body;
    }
}

// The base is far outside the buffer, the offsets are valid. Accesses in bounds read the right
// values; others fault, and the fault names the lane and its address.
TEST(Borders, BatchedLoadsFarApartAreChecked)
{
    const auto body = [](const char* away, const char* first, const char* second,
                         const char* third) {
        return text_of(fmt::format("mul.wide.u32 %rd5, %r1, 4; add.u64 %rd4, %rd1, {}; add.u64 "
                                   "%rd4, %rd4, %rd5; add.u64 %rd6, %rd2, %rd5;\n"
                                   "ld.global.u32 %r3, [%rd4+{}];\nld.global.u32 %r4, [%rd4+{}];\n"
                                   "ld.global.u32 %r5, [%rd4+{}];\n"
                                   "add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5;\n"
                                   "st.global.u32 [%rd6], %r3;",
                                   away, first, second, third));
    };
    struct Case {
        const char *away, *first, *second, *third;
        bool inside;
    };
    const Case cases[] = {
        {"2147483648", "-2147483648", "-2147483644", "-2147483640", true},
        {"-2147483644", "2147483644", "2147483644", "2147483644", true},
        {"0x80000000", "-2147483648", "0", "-2147483648", false},
        {"0x7ffffffc", "-2147483644", "2147483644", "-2147483640", false},
        {"0x8000000000000000", "0", "4", "8", false},
        {"-4", "4", "0", "8", false},
        {"0", "0", "4", "256", false},
    };
    for (const NativeCode way : ways)
        for (const Case& each : cases) {
            SCOPED_TRACE(
                fmt::format("{} {} {} {}", each.away, each.first, each.second, each.third));
            Options options;
            options.native = way;
            Machine machine =
                Machine::from_text(body(each.away, each.first, each.second, each.third), options);
            std::vector<std::uint32_t> data(64);
            for (std::uint32_t i = 0; i < 64; ++i) data[i] = i;
            auto p = machine.buffer(data);
            auto q = machine.buffer(std::vector<std::uint32_t>(32, 7));
            EXPECT_EQ(machine.fault("k", {}, *p, *q).kind, each.inside ? "none" : "out_of_bounds");
            if (each.inside) continue;
            EXPECT_EQ(machine.values<std::uint32_t>(*q), std::vector<std::uint32_t>(32, 7));
        }
}

// The lanes of the first block are as far apart as 64-bit addresses allow. In the next block, all
// of them are shifted.
TEST(Borders, FaultedLanesAreNotMovedIntoBounds)
{
    struct Case {
        std::uint64_t first, others, moved;
    };
    const Case cases[] = {
        {0x8000000000000000, 0x7ffffffffffffffc, 0x8000000000000000},
        {0x8000000000000004, 0x7ffffffffffffff8, 0x8000000000000000},
        {0x8000000000000000, 0x7ffffffffffffffc, 0x8000000000000040}, // the next block is in bounds
        {0x8000000000000010, 0x7ffffffffffffff0, 0x8000000000000000},
        {0, 0xfffffffffffffffc, 0},
        {0, 0xfffffffffffffffc, 0x8000000000000000},
        {0x4000000000000000, 0xc000000000000000, 0xc000000000000000},
        {0x100000000, 0xfffffffc, 0xffffffff00000000},
        {0, 0x7ffffffffffffffc, 0x8000000000000004},
        {0x8000000000000000, 0x4000000000000000, 0x8000000000000000},
    };
    for (const char* space : {"shared", "global"})
        for (const NativeCode way : ways)
            for (const Case& each : cases) {
                SCOPED_TRACE(fmt::format("{} {:#x} {:#x} {:#x}", space, each.first, each.others,
                                         each.moved));
                const bool shared = space == std::string_view("shared");
                const std::string text = text_of(fmt::format(
                    "setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r2, 0;\n"
                    "selp.b64 %rd4, {:#x}, {:#x}, %p1; selp.b64 %rd5, 0, {:#x}, %p2;\n"
                    "add.u64 %rd6, %rd4, %rd5; add.u64 %rd6, %rd6, {};\n"
                    "ld.{}.u32 %r3, [%rd6];\n"
                    "mul.wide.u32 %rd7, %r1, 4; add.u64 %rd8, %rd2, %rd7; st.global.u32 [%rd8], "
                    "%r3;",
                    each.first, each.others, each.moved, shared ? "0" : "%rd1", space));
                Options options;
                options.native = way;
                options.keep_going = 8;
                Machine machine = Machine::from_text(text, options);
                auto p = machine.buffer(std::vector<std::uint32_t>(64, 9));
                const std::vector<std::uint32_t> before(32, 7);
                auto q = machine.buffer(before);
                trace::Trace trace;
                machine.run_traced(&trace, "k", {{3, 1, 1}, {32, 1, 1}, 0}, *p, *q);
                const bool inside =
                    each.first + each.moved <= 252 && each.others + each.moved <= 252;
                ASSERT_EQ(trace.faults.size(), inside ? 1u : 3u);
                for (const trace::Fault& fault : trace.faults)
                    EXPECT_EQ(fault.kind, "out_of_bounds");
                if (inside) continue;
                EXPECT_EQ(machine.values<std::uint32_t>(*q), before);
                for (std::size_t i = 0; i < trace.sites.size(); ++i)
                    EXPECT_EQ(trace.counts[i].executions, 0u) << trace.sites[i].ptx;
            }
}

// --- Declarations too large for the machine ---

TEST(Borders, OverflowingCallParametersAreRejected)
{
    // 2^27 bytes per lane: for 32 lanes the size overflows 32 bits.
    for (const char* bytes : {"134217728", "134217744", "2147483647", "4294967296", "4294967304",
                              "1099511627776", "1048577"})
        EXPECT_THAT(
            refusal_of(text_of(
                fmt::format("{{ .param .b8 a[{}]; st.param.b32 [a+64], %r1; call f, (a); }}",
                            bytes),
                fmt::format(".func f(.param .b8 a[{}]) {{ ret; }}", bytes))),
            HasSubstr("more than 1048576 bytes"))
            << bytes;
    EXPECT_EQ(
        refusal_of(text_of("{ .param .b8 a[65536]; st.param.b32 [a+65532], %r1; call f, (a); }",
                           ".func f(.param .b8 a[65536]) { ret; }")),
        "");
}

TEST(Borders, KernelParameterReadsStayInBounds)
{
    for (const char* place : {"p+4294967296", "p+16", "p+12", "p-4", "q+8", "p+9223372036854775807",
                              "p+-9223372036854775808", "4294967296"})
        EXPECT_THAT(refusal_of(text_of(fmt::format("ld.param.u64 %rd4, [{}];", place))),
                    HasSubstr("reads past the kernel's parameters"))
            << place;
    EXPECT_EQ(refusal_of(text_of("ld.param.u64 %rd4, [p+8];")), "");
    Machine machine = Machine::from_text(text_of("ld.param.v2.u64 {%rd4, %rd5}, [p+16];"));
    auto p = machine.buffer(std::vector<std::uint32_t>(4));
    EXPECT_EQ(machine.fault("k", {}, *p, *p).kind, "out_of_bounds");
}

TEST(Borders, AddressRegistersMustHaveAddressSize)
{
    for (const char* body :
         {"ld.global.u32 %r3, [%p1];", "st.shared.u32 [%p1], %r3;", "red.global.add.u32 [%p1], 1;",
          ".reg .b128 %wide; ld.global.u32 %r3, [%wide];"})
        EXPECT_THAT(refusal_of(text_of(body)), HasSubstr("register of a different size")) << body;
    for (const char* body : {"mov.pred %p1, own;", "mov.u64 {%rd4, %rd5}, own;", "mov.u64 _, own;",
                             ".reg .b128 %wide; mov.b128 %wide, own;"})
        EXPECT_THAT(refusal_of(text_of(body)), HasSubstr("neither 32 nor 64 bits")) << body;
}

TEST(Borders, MissingRegisterPartsAreRejected)
{
    for (const char* part : {"b7654", "b3214", "b7"})
        EXPECT_THAT(
            refusal_of(text_of(fmt::format("vadd4.s32.s32.s32 %r3.{}, %r4, %r5, %r6;", part))),
            HasSubstr("no such part"))
            << part;
    EXPECT_THAT(refusal_of(text_of("vadd2.s32.s32.s32 %r3.h3, %r4, %r5, %r6;")),
                HasSubstr("no such part"));
}

// A comparison combined with a predicate needs that predicate, and others have no room for one.
TEST(Borders, ComparisonsHaveAPredicateExactlyIfTheyCombineOne)
{
    for (const char* body : {"setp.lt.and.u32 %p1, %r3, %r4;", "setp.lt.or.u32 %p1|%p2, %r3, %r4;",
                             "setp.lt.xor.f32 %p1, %f1, %f1;", "set.lt.and.u32.u32 %r3, %r3, %r4;"})
        EXPECT_THAT(refusal_of(text_of(body)), HasSubstr("fewer operands than expected")) << body;
    for (const char* body :
         {"setp.lt.u32 %p1, %r3, %r4, %p2;", "set.lt.u32.u32 %r3, %r3, %r4, %p2;"})
        EXPECT_THAT(refusal_of(text_of(body)), HasSubstr("more operands than expected")) << body;
}

// Each lane accesses at most 16 bytes; ptxas rejects wider accesses, too.
TEST(Borders, SurfaceAccessesAreAtMost16Bytes)
{
    for (const char* body : {"suld.b.1d.v4.b64.zero {%rd4, %rd5, %rd6, %rd7}, [%rd1, {%r1}];",
                             "sust.b.1d.v4.b64.zero [%rd1, {%r1}], {%rd4, %rd5, %rd6, %rd7};"})
        EXPECT_THAT(refusal_of(text_of(body)), HasSubstr("at most 16 bytes")) << body;
}

TEST(Borders, SharedMemoryBeyond4GiBIsRejected)
{
    const std::string text =
        text_of(".shared .b8 a[4294967232]; .shared .b8 b[64]; mov.u64 %rd4, b; st.shared.u32 "
                "[%rd4], %r1; mov.u64 %rd4, a; st.shared.u32 [%rd4], %r1;");
    EXPECT_THAT(refusal_of(text), HasSubstr("shared memory"));
}

// --- Functions implemented by the machine ---

constexpr std::string_view builtins = R"(
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
)";

TEST(Borders, ResultsStayWithinTheirVariables)
{
    const std::string text = text_of(R"(
    { .param .b64 n; .param .b8 r; .param .b8 next[7];
      mov.u32 %r3, 7; mov.u64 %rd4, 64;
      st.param.b8 [next], %r3; st.param.b8 [next+6], %r3; st.param.b64 [n], %rd4;
      call (r), malloc, (n);
      ld.param.u8 %r4, [next]; ld.param.u8 %r5, [next+6]; }
    add.u32 %r4, %r4, %r5;
    mul.wide.u32 %rd5, %r1, 4; add.u64 %rd6, %rd2, %rd5; st.global.u32 [%rd6], %r4;)",
                                     builtins);
    Machine machine = Machine::from_text(text);
    auto q = machine.buffer(std::vector<std::uint32_t>(32));
    machine.run("k", {}, *q, *q);
    EXPECT_EQ(machine.values<std::uint32_t>(*q), std::vector<std::uint32_t>(32, 14));
}

TEST(Borders, SmallHeapAllocationsAreCharged)
{
    Memory memory(false);
    std::size_t pieces = 0;
    while (memory.allocate_heap(1) != 0) ++pieces;
    EXPECT_EQ(pieces, std::size_t{8} << 20 >> 4);
    EXPECT_EQ(memory.allocate_heap(~std::size_t{0}), 0u);
}

// Output of one thread that calls printf with this format. `stores` fill the arguments at %rd1.
std::string printed(std::string_view format, std::string_view stores = {}, double limit_s = 0,
                    trace::Fault* fault = nullptr, std::string_view loop = {})
{
    std::string bytes;
    for (const char c : format) bytes += fmt::format("{}, ", int{c});
    const std::string text = text_of(
        fmt::format(R"(
    {} mov.u64 %rd4, format; cvta.global.u64 %rd4, %rd4;
again:
    {{ .param .b64 a; .param .b64 b; .param .b32 n;
      st.param.b64 [a], %rd4; st.param.b64 [b], %rd1;
      call (n), vprintf, (a, b); }}
    {})",
                    stores, loop),
        std::string(builtins) + fmt::format(".global .align 1 .b8 format[] = {{{}0}};", bytes));
    Options options;
    options.time_limit_s = limit_s;
    Machine machine = Machine::from_text(text, options);
    std::string all;
    machine.device().set_printer([&](std::string_view more) {
        if (all.size() < std::size_t{1} << 20) all += more;
    });
    auto p = machine.buffer(std::vector<std::uint32_t>(std::size_t{1} << 20, 0x41414141));
    const trace::Fault found = machine.fault("k", {{1, 1, 1}, {1, 1, 1}, 0}, *p, *p);
    if (fault != nullptr)
        *fault = found;
    else
        EXPECT_EQ(found.kind, "none") << found.message;
    return all;
}

TEST(Borders, LongPrintedFieldsAreTruncatedWithNotice)
{
    const std::string numbers = "mov.u32 %r3, 2147; st.global.u32 [%rd1], %r3; mov.u32 %r3, 4836; "
                                "st.global.u32 [%rd1+4], %r3; mov.u32 %r3, 46; st.global.u32 "
                                "[%rd1+8], %r3;";
    for (const char* format : {"a%***d", "a%*.**f", "a%5*d", "a%.*", "a%.5*s%n"})
        EXPECT_THAT(printed(format, numbers), testing::StartsWith("a")) << format;
    for (const char* format : {"a%***d", "a%*.**f", "a%5*d"})
        EXPECT_THAT(printed(format, numbers), HasSubstr("(cut: ")) << format;
    const std::string strings = "add.u64 %rd5, %rd1, 64; st.global.u64 [%rd1], %rd5; st.global.u64 "
                                "[%rd1+8], %rd5;";
    for (const char* format : {"a%2147483647d", "a%.2147483647d", "a%99999999999999999999d",
                               "a%-65537d", "a%.65537f", "a%9999d%65535d", "a%s", "a%65535s%s"}) {
        const std::string text =
            printed(format, std::string_view(format).ends_with('s') ? strings : numbers);
        EXPECT_LE(text.size(), 66000u) << format;
        EXPECT_EQ(text[0], 'a');
        EXPECT_THAT(text.substr(std::min<std::size_t>(text.size(), 65530)), HasSubstr("(cut: "))
            << format << text.substr(0, 100);
    }
    EXPECT_EQ(printed("%5d|%-5d|%.3f|", "mov.u32 %r3, 42; st.global.u32 [%rd1], %r3; st.global.u32 "
                                        "[%rd1+4], %r3; mov.u64 %rd5, 0x3ff0000000000000; "
                                        "st.global.u64 [%rd1+8], %rd5;"),
              "   42|42   |1.000|");
    EXPECT_EQ(printed("%*d|%.3s|%%|%y", "mov.u32 %r3, 4; st.global.u32 [%rd1], %r3; st.global.u32 "
                                        "[%rd1+4], %r3; add.u64 %rd5, %rd1, 64; st.global.u64 "
                                        "[%rd1+8], %rd5;"),
              "   4|AAA|%|%y");
}

// In a loop, printf gets a string of several megabytes without a terminator, or a wide field; the
// time limit must end it.
TEST(Borders, PrintingHonoursTimeLimit)
{
    for (const char* format : {"%.0s%.0s%.0s%.0s", "%s", "%65536d"}) {
        const ThreadWatch since;
        trace::Fault fault;
        printed(format, "add.u64 %rd5, %rd1, 64; st.global.u64 [%rd1], %rd5;", 0.2, &fault,
                "bra again;");
        EXPECT_EQ(fault.kind, "time_limit") << format;
        EXPECT_LT(since.seconds(), 5) << format;
    }
}

// Only lanes 8 to 31 execute the load, and none of them has the address of a row.
TEST(Borders, LdmatrixWithoutRowAddressesLoadsZeros)
{
    Machine machine = Machine::from_text(
        text_of("st.shared.u32 [%rd3], 7; setp.lt.u32 %p1, %r1, 8; @%p1 bra done; "
                "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%rd3]; st.global.u32 [%rd1], "
                "%r3; done:"));
    auto p = machine.buffer(std::vector<std::uint32_t>(64, 5));
    machine.run("k", {}, *p, *p);
    EXPECT_EQ(machine.values<std::uint32_t>(*p)[0], 0u);
}

TEST(Borders, TooManyWarpsToCountAreRejected)
{
    Machine machine = Machine::from_text(text_of("st.global.u32 [%rd1], %r1;"));
    auto p = machine.buffer(std::vector<std::uint32_t>(64));
    trace::Trace trace;
    trace.per_warp = true;
    try {
        machine.run_traced(&trace, "k", {.grid = {0x7fffffff, 65535, 1}}, *p, *p);
        FAIL() << "counted";
    } catch (const device::DeviceError& error) {
        EXPECT_THAT(std::string(error.what()), HasSubstr("counting each warp"));
    }
}

// Asynchronous copies that no wait completes do not pile up in memory, and the last one determines
// the contents.
TEST(Borders, CopiesWithoutWaitCompleteInOrder)
{
    const std::string text = text_of(R"(
    mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd3, %rd4; add.u64 %rd6, %rd1, %rd4;
    mov.u32 %r9, 0;
again:
    st.global.u32 [%rd6], %r9;
    cp.async.ca.shared.global [%rd5], [%rd6], 4;
    add.u32 %r9, %r9, 1;
    setp.lt.u32 %p1, %r9, 5000;
    @%p1 bra again;
    cp.async.wait_all;
    ld.shared.u32 %r3, [%rd5];
    add.u64 %rd7, %rd2, %rd4; st.global.u32 [%rd7], %r3;)");
    Machine machine = Machine::from_text(text);
    auto p = machine.buffer(std::vector<std::uint32_t>(32));
    auto q = machine.buffer(std::vector<std::uint32_t>(32));
    machine.run("k", {}, *p, *q);
    EXPECT_EQ(machine.values<std::uint32_t>(*q), std::vector<std::uint32_t>(32, 4999));
}

// --- Values of types that a text describes ---

std::shared_ptr<ptx::SourceType> integer_of(std::uint64_t bytes)
{
    auto type = std::make_shared<ptx::SourceType>();
    type->kind = ptx::SourceType::Kind::integer;
    type->bytes = bytes;
    return type;
}

TEST(Borders, MembersStayWithinTheirRecord)
{
    const std::vector<std::byte> bytes(16, std::byte{1});
    EXPECT_EQ(part_of(bytes, 8, 8)->size(), 8u);
    EXPECT_EQ(part_of(bytes, 16, 0)->size(), 0u);
    constexpr std::uint64_t max = ~std::uint64_t{0};
    for (const auto& [offset, size] : {std::pair<std::uint64_t, std::uint64_t>{max - 7, 8},
                                       {max, 1},
                                       {8, max},
                                       {17, 0},
                                       {12, 8},
                                       {std::uint64_t{1} << 63, std::uint64_t{1} << 63}})
        EXPECT_FALSE(part_of(bytes, offset, size)) << offset << " " << size;
    ptx::SourceType record;
    record.kind = ptx::SourceType::Kind::record;
    record.bytes = 16;
    record.members = {{"before", max - 7, integer_of(8)},
                      {"inside", 4, integer_of(4)},
                      {"large", 8, integer_of(max)}};
    EXPECT_EQ(simt::text_of(record, bytes), "{inside = 16843009}");
}

TEST(Borders, SelfContainingRecordIsBounded)
{
    const std::vector<std::byte> bytes(16, std::byte{1});
    auto record = std::make_shared<ptx::SourceType>();
    record->kind = ptx::SourceType::Kind::record;
    record->bytes = 16;
    record->members = {{"one", 0, record}, {"other", 0, record}};
    const std::string text = simt::text_of(*record, bytes);
    record->members.clear();
    EXPECT_LT(text.size(), 100000u);
    EXPECT_THAT(text, HasSubstr("…"));
}

} // namespace
} // namespace lanescope::simt
