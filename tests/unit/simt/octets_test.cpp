// Accesses that native code computes for eight lanes at once, and similar ones that it must not;
// the interpreter gives the expected results. Irregular lanes are in the middle of an octet and
// after the first warps, when the buffers' positions are already known.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

struct OctetCase {
    const char* name;
    // %r1: the thread's index in the grid, %r2: in its block, %r3: n; %rd1 and %rd2: two buffers,
    // %rd3 and %rd4: the thread's word in each, %rd5: 4 × %r1.
    const char* body;
};

constexpr OctetCase octet_cases[] = {
    {"neighbours", "ld.global.u32 %r10, [%rd3];\n add.u32 %r10, %r10, 7;\n"
                   "st.global.u32 [%rd4], %r10;\n"},
    {"shift_in_place", "ld.global.u32 %r10, [%rd3+4];\n st.global.u32 [%rd3], %r10;\n"},
    {"stored_then_loaded", "st.global.u32 [%rd4], %r1;\n ld.global.u32 %r10, [%rd4];\n"
                           "add.u32 %r10, %r10, 1;\n st.global.u32 [%rd3], %r10;\n"},
    {"stored_then_changed", "mov.u32 %r10, %r1;\n st.global.u32 [%rd4], %r10;\n"
                            "add.u32 %r10, %r10, 9;\n st.global.u32 [%rd3], %r10;\n"},
    {"three_apart", "mul.wide.u32 %rd6, %r1, 12;\n add.s64 %rd7, %rd1, %rd6;\n"
                    "add.s64 %rd8, %rd2, %rd6;\n ld.global.u32 %r10, [%rd7+4];\n"
                    "st.global.u32 [%rd8+8], %r10;\n"},
    {"four_elements", "mul.wide.u32 %rd6, %r1, 16;\n add.s64 %rd7, %rd1, %rd6;\n"
                      "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd7];\n"
                      "sub.u32 %r10, %r10, %r11;\n xor.b32 %r12, %r12, %r13;\n"
                      "add.u32 %r10, %r10, %r12;\n st.global.u32 [%rd4], %r10;\n"},
    {"two_elements_of_one_place", "ld.global.v2.u32 {%r10, %r11}, [%rd1+16];\n"
                                  "add.u32 %r10, %r10, %r11;\n st.global.u32 [%rd4], %r10;\n"},
    {"long_words", "mul.wide.u32 %rd6, %r1, 8;\n add.s64 %rd7, %rd1, %rd6;\n"
                   "add.s64 %rd8, %rd2, %rd6;\n ld.global.u64 %rd9, [%rd7];\n"
                   "ld.global.u64 %rd10, [%rd1+8];\n add.s64 %rd9, %rd9, %rd10;\n"
                   "st.global.u64 [%rd8], %rd9;\n"},
    {"backwards", "sub.u32 %r10, 1000, %r1;\n mul.wide.s32 %rd6, %r10, 4;\n"
                  "add.s64 %rd7, %rd1, %rd6;\n ld.global.u32 %r11, [%rd7];\n"
                  "st.global.u32 [%rd4], %r11;\n"},
    {"left_neighbour", "setp.gt.s32 %p1, %r1, 104;\n selp.b32 %r10, -4, 0, %p1;\n"
                       "cvt.s64.s32 %rd6, %r10;\n add.s64 %rd7, %rd3, %rd6;\n"
                       "ld.global.u32 %r11, [%rd7];\n st.global.u32 [%rd4], %r11;\n"},
    {"one_lane_is_equal", "setp.eq.s32 %p1, %r1, 37;\n selp.b32 %r10, 4, 0, %p1;\n"
                          "cvt.s64.s32 %rd6, %r10;\n add.s64 %rd7, %rd3, %rd6;\n"
                          "ld.global.u32 %r11, [%rd7];\n st.global.u32 [%rd4], %r11;\n"},
    {"two_that_pass_each_other", "sub.s32 %r10, 75, %r1;\n setp.ne.s32 %p1, %r1, %r10;\n"
                                 "selp.b32 %r11, 4, 8, %p1;\n cvt.s64.s32 %rd6, %r11;\n"
                                 "add.s64 %rd7, %rd3, %rd6;\n ld.global.u32 %r12, [%rd7];\n"
                                 "st.global.u32 [%rd4], %r12;\n"},
    {"signed_wraps", "add.s32 %r10, %r1, 2147483547;\n setp.lt.s32 %p1, %r10, 2147483647;\n"
                     "selp.b32 %r11, 4, 8, %p1;\n cvt.s64.s32 %rd6, %r11;\n"
                     "add.s64 %rd7, %rd3, %rd6;\n ld.global.u32 %r12, [%rd7];\n"
                     "st.global.u32 [%rd4], %r12;\n"},
    {"unsigned_wraps", "sub.u32 %r10, %r1, 141;\n setp.lt.u32 %p1, %r10, -1;\n"
                       "selp.b32 %r11, 4, 8, %p1;\n cvt.s64.s32 %rd6, %r11;\n"
                       "add.s64 %rd7, %rd3, %rd6;\n ld.global.u32 %r12, [%rd7];\n"
                       "st.global.u32 [%rd4], %r12;\n"},
    {"wide_wraps_beyond", "sub.u32 %r10, 157, %r1;\n mul.wide.u32 %rd6, %r10, 4;\n"
                          "add.s64 %rd7, %rd1, %rd6;\n ld.global.u32 %r11, [%rd7+4096];\n"
                          "st.global.u32 [%rd4], %r11;\n"},
    {"long_product", "cvt.u64.u32 %rd6, %r3;\n mul.lo.s64 %rd7, %rd6, 4294967300;\n"
                     "mul.lo.s64 %rd8, %rd6, 4294967296;\n sub.s64 %rd7, %rd7, %rd8;\n"
                     "add.s64 %rd8, %rd1, %rd7;\n ld.global.u32 %r10, [%rd8];\n"
                     "add.u32 %r10, %r10, %r1;\n st.global.u32 [%rd4], %r10;\n"},
    {"guarded", "setp.lt.s32 %p1, %r1, %r3;\n @%p1 ld.global.u32 %r10, [%rd3];\n"
                "@%p1 st.global.u32 [%rd4], %r10;\n @!%p1 st.global.u32 [%rd4], %r1;\n"},
    {"edge", "setp.ge.s32 %p1, %r1, %r3;\n @%p1 bra done;\n ld.global.u32 %r10, [%rd3];\n"
             "mul.lo.u32 %r10, %r10, 5;\n st.global.u32 [%rd4], %r10;\n"},
    {"turns", "mov.u32 %r10, 0;\n mov.u32 %r11, 0;\n mov.b64 %rd6, %rd3;\n turn:\n"
              "ld.global.u32 %r12, [%rd6];\n ld.global.u32 %r13, [%rd6+64];\n"
              "add.u32 %r10, %r10, %r12;\n xor.b32 %r10, %r10, %r13;\n"
              "add.s64 %rd6, %rd6, 36;\n add.u32 %r11, %r11, 1;\n"
              "setp.ne.u32 %p1, %r11, 11;\n @%p1 bra turn;\n st.global.u32 [%rd4], %r10;\n"},
    {"shared", "mov.u32 %r10, room;\n shl.b32 %r11, %r2, 2;\n add.u32 %r12, %r10, %r11;\n"
               "st.shared.u32 [%r12], %r1;\n bar.sync 0;\n mad.lo.u32 %r13, %r2, 8, %r10;\n"
               "ld.shared.u32 %r14, [%r13];\n ld.shared.u32 %r15, [%r10+8];\n"
               "add.u32 %r14, %r14, %r15;\n st.global.u32 [%rd4], %r14;\n"},
    {"places_in_a_row_of_threads", "mad.lo.u32 %r10, %r5, 3, %r4;\n mul.wide.u32 %rd6, %r10, 4;\n"
                                   "add.s64 %rd7, %rd1, %rd6;\n ld.global.u32 %r11, [%rd7];\n"
                                   "st.global.u32 [%rd4], %r11;\n"},
    {"four_elements_stored", "mul.wide.u32 %rd6, %r1, 16;\n add.s64 %rd7, %rd2, %rd6;\n"
                             "ld.global.u32 %r10, [%rd3];\n add.u32 %r11, %r10, %r1;\n"
                             "st.global.v4.u32 [%rd7], {%r10, %r11, %r3, %r1};\n"},
    {"two_elements_stored", "mul.wide.u32 %rd6, %r1, 8;\n add.s64 %rd7, %rd2, %rd6;\n"
                            "ld.global.u32 %r10, [%rd3];\n"
                            "st.global.v2.u32 [%rd7+8], {%r1, %r10};\n"},
    {"two_elements_stored_apart", "mul.wide.u32 %rd6, %r1, 16;\n add.s64 %rd7, %rd2, %rd6;\n"
                                  "ld.global.u32 %r10, [%rd3];\n"
                                  "st.global.v2.u32 [%rd7+8], {%r9, %r10};\n"},
    {"scattered_within_eight", "setp.gt.s32 %p1, %r1, 109;\n selp.b32 %r10, -8, 0, %p1;\n"
                               "cvt.s64.s32 %rd6, %r10;\n add.s64 %rd7, %rd3, %rd6;\n"
                               "ld.global.u32 %r11, [%rd7+4];\n ld.global.u32 %r12, [%rd3];\n"
                               "sub.u32 %r11, %r11, %r12;\n st.global.u32 [%rd4], %r11;\n"},
    {"scattered_long_words", "xor.b32 %r10, %r1, 5;\n mul.wide.u32 %rd6, %r10, 8;\n"
                             "add.s64 %rd7, %rd1, %rd6;\n ld.global.u64 %rd8, [%rd7];\n"
                             "add.s64 %rd8, %rd8, %rd6;\n mul.wide.u32 %rd9, %r1, 8;\n"
                             "add.s64 %rd9, %rd2, %rd9;\n st.global.u64 [%rd9], %rd8;\n"},
    {"stored_by_lanes", "xor.b32 %r10, %r1, 11;\n mul.wide.u32 %rd6, %r10, 4;\n"
                        "add.s64 %rd7, %rd2, %rd6;\n ld.global.u32 %r11, [%rd3];\n"
                        "st.global.u32 [%rd7], %r11;\n add.s64 %rd7, %rd7, 4096;\n"
                        "st.global.u32 [%rd7], %r1;\n"},
    {"stored_to_one_place", "and.b32 %r10, %r1, -4;\n mul.wide.u32 %rd6, %r10, 4;\n"
                            "add.s64 %rd7, %rd2, %rd6;\n ld.global.u32 %r11, [%rd3];\n"
                            "st.global.u32 [%rd7+4], %r11;\n"},
    {"long_words_by_lanes", "xor.b32 %r10, %r1, 3;\n mul.wide.u32 %rd6, %r10, 8;\n"
                            "add.s64 %rd7, %rd2, %rd6;\n st.global.u64 [%rd7], %rd3;\n"},
    {"shared_by_lanes", "mov.u32 %r10, room;\n xor.b32 %r11, %r2, 5;\n shl.b32 %r11, %r11, 2;\n"
                        "add.u32 %r12, %r10, %r11;\n ld.shared.u32 %r16, [%r12];\n"
                        "add.u32 %r16, %r16, %r1;\n st.shared.u32 [%r12], %r16;\n"
                        "bar.sync 0;\n mad.lo.u32 %r13, %r2, 4, %r10;\n"
                        "ld.shared.u32 %r14, [%r13];\n st.global.u32 [%rd4], %r14;\n"},
    {"one_number_of_all_lanes",
     "min.s32 %r10, %r3, 77;\n max.s32 %r11, %r9, 2;\n min.u32 %r12, %r3, %r11;\n"
     "max.u32 %r13, %r9, %r10;\n shl.b32 %r14, %r13, %r12;\n shl.b32 %r15, %r13, 35;\n"
     "sub.s32 %r16, %r9, 3;\n shr.s32 %r17, %r16, 40;\n shr.u32 %r18, %r16, %r11;\n"
     "xor.b32 %r14, %r14, %r15;\n xor.b32 %r17, %r17, %r18;\n not.b32 %r17, %r17;\n"
     "cvt.s64.s32 %rd6, %r16;\n shl.b64 %rd7, %rd6, 3;\n shr.u64 %rd8, %rd6, %r12;\n"
     "mul.lo.s64 %rd7, %rd7, %rd8;\n setp.lt.s32 %p1, %r16, 0;\n"
     "setp.ne.and.u32 %p2, %r9, 4, %p1;\n selp.b64 %rd8, %rd6, %rd7, %p2;\n"
     "cvt.u32.u64 %r19, %rd8;\n xor.b32 %r14, %r14, %r17;\n add.u32 %r14, %r14, %r19;\n"
     "and.b32 %r14, %r14, 124;\n cvt.u64.u32 %rd9, %r14;\n add.s64 %rd10, %rd3, %rd9;\n"
     "ld.global.u32 %r20, [%rd10];\n add.u32 %r20, %r20, %r14;\n st.global.u32 [%rd4], %r20;\n"},
    {"several_from_one_address",
     "ld.global.u32 %r10, [%rd3+64];\n ld.global.u32 %r11, [%rd3];\n"
     "ld.global.u32 %r12, [%rd3+4096];\n ld.global.u32 %r13, [%rd3+8];\n"
     "add.u32 %r10, %r10, %r13;\n add.u32 %r10, %r10, %r11;\n xor.b32 %r10, %r10, %r12;\n "
     "st.global.u32 [%rd4], %r10;\n"
     "mul.wide.u32 %rd6, %r1, 16;\n add.s64 %rd7, %rd2, %rd6;\n"
     "st.global.u32 [%rd7+4096], %r10;\n st.global.u32 [%rd7+4104], %r11;\n"
     "st.global.u32 [%rd7+4100], %r12;\n"},
    {"fours_and_long_words_from_one_address",
     "mul.wide.u32 %rd6, %r4, 32;\n"
     "add.s64 %rd7, %rd1, %rd6;\n add.s64 %rd8, %rd2, %rd6;\n"
     "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd7+16];\n"
     "ld.global.v4.u32 {%r14, %r15, %r16, %r17}, [%rd7];\n"
     "ld.global.u64 %rd9, [%rd7+40];\n ld.global.u64 %rd10, [%rd7+8];\n"
     "add.s64 %rd9, %rd9, %rd10;\n st.global.v4.u32 [%rd8], {%r10, %r15, %r12, %r17};\n"
     "st.global.v4.u32 [%rd8+16], {%r14, %r11, %r16, %r13};\n"
     "mul.wide.u32 %rd6, %r4, 8;\n add.s64 %rd8, %rd2, %rd6;\n"
     "st.global.u64 [%rd8+8192], %rd9;\n"},
    {"second_beyond", "ld.global.u32 %r10, [%rd3];\n ld.global.u32 %r11, [%rd3+15876];\n"
                      "add.u32 %r10, %r10, %r11;\n st.global.u32 [%rd4], %r10;\n"},
    {"first_of_three_beyond", "sub.u32 %r10, 150, %r1;\n mul.wide.s32 %rd6, %r10, 4;\n"
                              "add.s64 %rd7, %rd1, %rd6;\n ld.global.u32 %r11, [%rd7+4096];\n"
                              "ld.global.u32 %r12, [%rd7];\n ld.global.u32 %r13, [%rd7+8192];\n"
                              "add.u32 %r11, %r11, %r12;\n add.u32 %r11, %r11, %r13;\n"
                              "st.global.u32 [%rd4], %r11;\n"},
    {"second_stored_beyond", "st.global.u32 [%rd4], %r1;\n st.global.u32 [%rd4+15876], %r1;\n"},
    {"shared_second_beyond", "mov.u32 %r10, room;\n shl.b32 %r11, %r2, 2;\n"
                             "add.u32 %r12, %r10, %r11;\n ld.shared.u32 %r13, [%r12];\n"
                             "ld.shared.u32 %r14, [%r12+388];\n add.u32 %r13, %r13, %r14;\n"
                             "st.global.u32 [%rd4], %r13;\n"},
    {"by_what_was_loaded", "ld.global.u32 %r10, [%rd3];\n and.b32 %r10, %r10, 1020;\n"
                           "cvt.u64.u32 %rd6, %r10;\n add.s64 %rd7, %rd1, %rd6;\n"
                           "ld.global.u32 %r11, [%rd7];\n st.global.u32 [%rd4], %r11;\n"},
    {"misaligned", "ld.global.u32 %r10, [%rd3+2];\n st.global.u32 [%rd4], %r10;\n"},
    {"lane_misaligned", "setp.eq.s32 %p1, %r1, 109;\n selp.b32 %r10, 2, 0, %p1;\n"
                        "cvt.s64.s32 %rd6, %r10;\n add.s64 %rd7, %rd3, %rd6;\n"
                        "ld.global.u32 %r11, [%rd7];\n st.global.u32 [%rd4], %r11;\n"},
    {"lane_beyond", "setp.eq.s32 %p1, %r1, 109;\n selp.b32 %r10, -2000, 0, %p1;\n"
                    "cvt.s64.s32 %rd6, %r10;\n add.s64 %rd7, %rd3, %rd6;\n"
                    "ld.global.u32 %r11, [%rd7];\n st.global.u32 [%rd4], %r11;\n"},
    {"lane_stored_beyond", "xor.b32 %r10, %r1, 5;\n setp.eq.s32 %p1, %r1, 109;\n"
                           "selp.b32 %r10, 4097, %r10, %p1;\n mul.wide.u32 %rd6, %r10, 4;\n"
                           "add.s64 %rd7, %rd2, %rd6;\n ld.global.u32 %r11, [%rd3];\n"
                           "st.global.u32 [%rd7], %r11;\n"},
    {"lane_of_shared_beyond", "xor.b32 %r10, %r1, 5;\n shl.b32 %r11, %r10, 2;\n"
                              "ld.shared.u32 %r12, [%r11];\n st.global.u32 [%rd4], %r12;\n"},
    {"beyond", "ld.global.u32 %r10, [%rd3+15876];\n st.global.u32 [%rd4], %r10;\n"},
    {"stored_beyond", "ld.global.u32 %r10, [%rd3];\n st.global.u32 [%rd4+15876], %r10;\n"},
    {"shared_beyond", "shl.b32 %r11, %r1, 2;\n ld.shared.u32 %r12, [%r11];\n"
                      "st.global.u32 [%rd4], %r12;\n"},
};

std::string text_of_octets(const OctetCase& each)
{
    return std::string(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{
    .reg .pred %p<8>;
    .reg .b32 %r<24>;
    .reg .b64 %rd<16>;
    .shared .align 4 .b8 room[768];
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u32 %r3, [n];
    mov.u32 %r4, %tid.x;
    mov.u32 %r5, %tid.y;
    mov.u32 %r6, %ntid.x;
    mad.lo.u32 %r2, %r5, %r6, %r4;
    mov.u32 %r7, %ntid.y;
    mul.lo.u32 %r8, %r6, %r7;
    mov.u32 %r9, %ctaid.x;
    mad.lo.u32 %r1, %r9, %r8, %r2;
    mul.wide.u32 %rd5, %r1, 4;
    add.s64 %rd3, %rd1, %rd5;
    add.s64 %rd4, %rd2, %rd5;
)") + each.body +
           "done:\n    ret;\n}\n";
}

struct OctetResult {
    std::vector<std::uint32_t> a, b;
    std::vector<trace::Counts> counts;
    std::vector<trace::WarpCounts> warps;
    std::string fault;
    friend bool operator==(const OctetResult&, const OctetResult&) = default;
};

OctetResult run_octets(const OctetCase& each, Dim3 block, NativeCode native, bool counted)
{
    Options options;
    options.threads = 1;
    options.native = native;
    const std::string text = text_of_octets(each);
    Machine machine = Machine::from_text(text, options);
    std::vector<std::uint32_t> numbers(4096);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = i * 2654435761u;
    const auto a = machine.buffer(numbers);
    const auto b = machine.buffer(std::vector<std::uint32_t>(numbers.size()));
    OctetResult result;
    trace::Trace trace;
    try {
        machine.run_traced(counted ? &trace : nullptr, "k", {{6, 1, 1}, block}, *a, *b,
                           static_cast<std::int32_t>(3 * block.count() + 5));
    } catch (const device::KernelFault& fault) {
        result.fault = fault.fault().kind + ": " + fault.fault().message;
    }
    result.a = machine.values<std::uint32_t>(*a);
    result.b = machine.values<std::uint32_t>(*b);
    result.counts = trace.counts;
    result.warps = trace.warps;
    return result;
}

class Octets : public testing::TestWithParam<OctetCase> {};

TEST_P(Octets, MatchInterpreter)
{
    for (const Dim3 block : {Dim3{32, 1, 1}, Dim3{96, 1, 1}, Dim3{16, 4, 1}, Dim3{8, 8, 1},
                             Dim3{24, 4, 1}, Dim3{40, 1, 1}})
        for (const bool counted : {false, true}) {
            const OctetResult want = run_octets(GetParam(), block, NativeCode::never, counted);
            for (const NativeCode native : {NativeCode::always, NativeCode::sometimes}) {
                const OctetResult got = run_octets(GetParam(), block, native, counted);
                EXPECT_EQ(got.fault, want.fault);
                EXPECT_TRUE(got == want) << block.x << " x " << block.y << ", counted: " << counted;
            }
        }
}

TEST(OctetCases, FaultsOnlyWhereExpected)
{
    for (const OctetCase& each : octet_cases) {
        const std::string name = each.name;
        const bool faults = name.ends_with("misaligned") || name.ends_with("beyond");
        EXPECT_EQ(!run_octets(each, {96, 1, 1}, NativeCode::always, true).fault.empty(), faults)
            << name;
    }
}

// Warps of such a kernel keep no state of their own, so the time limit is checked between blocks.
TEST(OctetCases, EndAtTimeLimit)
{
    Options options;
    options.threads = 1;
    options.native = NativeCode::always;
    options.time_limit_s = 0.05;
    const std::string text = text_of_octets(octet_cases[0]);
    Machine machine = Machine::from_text(text, options);
    const auto a = machine.buffer(std::vector<std::uint32_t>(64));
    const auto b = machine.buffer(std::vector<std::uint32_t>(64));
    try {
        // Every block accesses the same words, since %ctaid.x is 0.
        machine.run_traced(nullptr, "k", {{1, 65535, 65535}, {32, 1, 1}}, *a, *b, 0);
        ADD_FAILURE() << "it ended";
    } catch (const device::KernelFault& fault) {
        EXPECT_EQ(fault.fault().kind, "time_limit");
    }
}

INSTANTIATE_TEST_SUITE_P(All, Octets, testing::ValuesIn(octet_cases),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace lanescope::simt
