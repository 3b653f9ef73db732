// Reads of uninitialised registers and local memory, which PTX leaves undefined.
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "compute/simt/machine/state/launch_state.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Machine::Shape two_blocks{{2, 1, 1}, {64, 1, 1}, 0};

std::string text_of(const std::string& body, const std::string& module = {})
{
    return fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
{}
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p, %q;
    .reg .b32 %r<8>, %unset, %thread, %block;
    .reg .b64 %out, %rd<4>;
    .local .align 4 .b32 array[8];
    ld.param.u64 %out, [out];
    mov.u32 %thread, %tid.x;
    mov.u32 %block, %ctaid.x;
    mad.lo.u32 %r0, %block, 64, %thread;
    mul.wide.u32 %rd0, %r0, 4;
    add.s64 %out, %out, %rd0;
    setp.lt.u32 %p, %thread, 8;
    {}
    ret;
}}
)",
                       module, body);
}

trace::Fault fault_of(const std::string& text, int threads = 0)
{
    Options options;
    options.checks = Checks::all();
    options.threads = threads;
    Machine machine = Machine::from_text(text, options);
    const auto out = machine.buffer(std::vector<std::uint32_t>(128));
    return machine.fault("k", two_blocks, *out);
}

TEST(Undefined, UnsetRegisters)
{
    const trace::Fault stored = fault_of(text_of("st.global.u32 [%out], %unset;"));
    EXPECT_EQ(stored.kind, "uninitialised");
    EXPECT_THAT(stored.message, AllOf(HasSubstr("stores a result"), HasSubstr("%unset"),
                                      HasSubstr("which nothing has set")));
    EXPECT_THAT(fault_of(text_of("add.u32 %r1, %unset, 1; setp.eq.u32 %q, %r1, 5;\n"
                                 "@%q st.global.u32 [%out], %r0;"))
                    .message,
                HasSubstr("branches on a value"));
    // Only the lanes on one path set the register; only they may read it.
    const std::string one_way = "@%p bra there; mov.u32 %unset, 7; there: ";
    EXPECT_EQ(fault_of(text_of(one_way + "st.global.u32 [%out], %unset;")).kind, "uninitialised");
    EXPECT_EQ(fault_of(text_of(one_way + "@!%p st.global.u32 [%out], %unset;")).kind, "none");
}

TEST(Undefined, AcceptsRegistersSetOnEveryPathOrWithUnusedValues)
{
    EXPECT_EQ(fault_of(text_of("@%p mov.u32 %unset, 1; @!%p mov.u32 %unset, 2;\n"
                               "st.global.u32 [%out], %unset;"))
                  .kind,
              "none");
    EXPECT_EQ(fault_of(text_of("mov.u32 %r2, %unset; mov.u32 %r2, 3;\n"
                               "selp.u32 %r3, %unset, %r2, %p; @!%p st.global.u32 [%out], %r3;"))
                  .kind,
              "none");
    EXPECT_EQ(fault_of(text_of("mov.u32 %r1, 0;\nagain: add.u32 %r1, %r1, 1;\n"
                               "setp.lt.u32 %q, %r1, 4; @%q bra again; st.global.u32 [%out], %r1;"))
                  .kind,
              "none");
}

TEST(Undefined, ReadBackValuesNameTheirOrigin)
{
    const std::string through_shared = "mov.u32 %r1, kept; shl.b32 %r2, %thread, 2;\n"
                                       "add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %unset;\n"
                                       "ld.shared.u32 %r3, [%r1]; st.global.u32 [%out], %r3;";
    EXPECT_THAT(fault_of(text_of(through_shared, ".shared .align 4 .b32 kept[64];")).message,
                AllOf(HasSubstr("which hold a value made from register "
                                "%unset, which nothing has set"),
                      testing::Not(HasSubstr("nothing has written"))));
}

TEST(Undefined, RegistersOfFunctions)
{
    const std::string module = R"(.func (.param .b32 result) f(.param .b32 a)
{
    .reg .b32 %a, %forgotten;
    .reg .pred %p;
    ld.param.b32 %a, [a];
    setp.eq.u32 %p, %a, 1000;
    @%p bra set;
    bra give;
set:
    mov.u32 %forgotten, 5;
give:
    setp.eq.u32 %p, %forgotten, 1;
    @%p mov.u32 %a, 9;
    st.param.b32 [result], %a;
    ret;
})";
    const std::string call = "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r0;\n"
                             "call (y), f, (x); ld.param.b32 %r1, [y]; }\n"
                             "st.global.u32 [%out], %r1;";
    const trace::Fault fault = fault_of(text_of(call, module));
    EXPECT_EQ(fault.kind, "uninitialised");
    EXPECT_THAT(fault.message, HasSubstr("%forgotten"));
}

TEST(Undefined, LocalMemory)
{
    const std::string address = "mov.u64 %rd1, array; and.b32 %r1, %thread, 7;\n"
                                "mad.wide.u32 %rd2, %r1, 4, %rd1;\n";
    for (const int threads : {1, 2}) {
        const trace::Fault unset =
            fault_of(text_of(address + "st.local.u32 [%rd1], %r0; ld.local.u32 %r2, [%rd2];\n"
                                       "st.global.u32 [%out], %r2;"),
                     threads);
        EXPECT_EQ(unset.kind, "uninitialised");
        EXPECT_THAT(unset.message, AllOf(HasSubstr("4 bytes of the thread's local memory"),
                                         HasSubstr("which it has not written")));
        EXPECT_EQ(unset.thread, (Dim3{1, 0, 0}));
        EXPECT_EQ(fault_of(text_of(address + "st.local.u32 [%rd2], %r0; ld.local.u32 %r2, [%rd2];\n"
                                             "st.global.u32 [%out], %r2;"),
                           threads)
                      .kind,
                  "none");
        // Only half of the word is set: it may be copied, but not used.
        EXPECT_EQ(fault_of(text_of("st.local.u16 [array], 1; ld.local.u32 %r2, [array];\n"
                                   "st.global.u32 [%out], %r2;"),
                           threads)
                      .kind,
                  "uninitialised");
        EXPECT_EQ(fault_of(text_of("ld.local.u32 %r2, [array]; st.local.u32 [array+4], %r2;\n"
                                   "st.global.u32 [%out], %r0;"),
                           threads)
                      .kind,
                  "none");
        EXPECT_EQ(fault_of(text_of("ld.local.u32 %r2, [array]; st.local.u32 [array+4], %r2;\n"
                                   "ld.local.u32 %r3, [array+4]; st.global.u32 [%out], %r3;"),
                           threads)
                      .kind,
                  "uninitialised");
    }
}

// The second block runs on the same core and may find the first one's local memory.
TEST(Undefined, LocalMemoryOfEarlierBlock)
{
    const std::string text = text_of("setp.eq.u32 %q, %block, 0; @%q st.local.u32 [array], 7;\n"
                                     "ld.local.u32 %r2, [array]; st.global.u32 [%out], %r2;");
    const trace::Fault fault = fault_of(text, 1);
    EXPECT_EQ(fault.kind, "uninitialised");
    EXPECT_EQ(fault.block, (Dim3{1, 0, 0}));
    Options options;
    options.threads = 1;
    Machine machine = Machine::from_text(text, options);
    const auto out = machine.buffer(std::vector<std::uint32_t>(128));
    machine.run("k", two_blocks, *out);
    EXPECT_EQ(machine.values<std::uint32_t>(*out)[63], 7u);
    EXPECT_EQ(machine.values<std::uint32_t>(*out)[64], 0u);
}

// Outcome of a launch, and whether the precise checks ran.
struct Ended {
    std::string fault;
    bool precisely = false;
};

Ended ended(const std::string& text)
{
    Options options;
    options.checks = Checks::all();
    Machine machine = Machine::from_text(text, options);
    const auto out = machine.buffer(std::vector<std::uint32_t>(128));
    LaunchState state = machine.device().prepare(
        machine.module().kernel("k"),
        {two_blocks.grid, two_blocks.block, 0, {device::Argument(*out)}, nullptr});
    Ended how;
    state.before_precise_checks = [&] { how.precisely = true; };
    try {
        machine.device().run(state, nullptr);
    } catch (const device::KernelFault& fault) {
        how.fault = fault.fault().message;
    }
    return how;
}

TEST(Undefined, UntakenPathsAreNotSuspected)
{
    const std::string some = "@%p mov.u32 %unset, 1;\n";
    for (const std::string& fine :
         {some + "@%p st.global.u32 [%out], %unset;", some + "add.u32 %r1, %unset, 1;",
          some + "selp.u32 %r1, %unset, %r0, %p; st.global.u32 [%out], %r1;",
          some + "mov.u32 %r1, %unset; mov.u32 %r2, %r1; @%p st.global.u32 [%out], %r2;",
          some + "setp.gt.u32 %q, %r0, 4096; @%q st.global.u32 [%out], %unset;",
          std::string("setp.gt.u32 %q, %r0, 4096; @%q bra there;\n"
                      "mov.u32 %unset, 1; there: st.global.u32 [%out], %unset;")}) {
        const Ended how = ended(text_of(fine));
        EXPECT_EQ(how.fault, "") << fine;
        EXPECT_FALSE(how.precisely) << fine;
    }
    EXPECT_TRUE(ended(text_of("st.global.u32 [%out], %unset;")).precisely);
    EXPECT_TRUE(ended(text_of(some + "st.local.u32 [array], %unset;")).precisely);
}

// Random instructions on registers, some of which are set in no lane or only in some lanes.
std::string some_steps(std::uint32_t seed)
{
    std::minstd_rand random(seed);
    const auto one_of = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
    const auto any = [&] { return fmt::format("%r{}", 1 + one_of(5)); };
    const auto guard = [&] {
        constexpr const char* guards[] = {"", "@%p ", "@!%p ", "@%q ", "@!%q "};
        return guards[one_of(5)];
    };
    std::string steps = "setp.gt.u32 %q, %r0, 100;\n";
    for (int i = 0; i < 12; ++i) {
        const std::string a = any(), b = any(), c = any();
        switch (one_of(12)) {
        case 0:
        case 1:
        case 2: steps += fmt::format("{}mov.u32 {}, {};\n", guard(), a, i); break;
        case 3: steps += fmt::format("{}mov.u32 {}, {};\n", guard(), a, b); break;
        case 4: steps += fmt::format("{}add.u32 {}, {}, {};\n", guard(), a, b, c); break;
        case 5: steps += fmt::format("selp.u32 {}, {}, {}, %p;\n", a, b, c); break;
        case 6: steps += fmt::format("{}mov.u32 {}, %thread;\n", guard(), a); break;
        case 7: steps += fmt::format("shfl.sync.idx.b32 {}, {}, 3, 31, -1;\n", a, b); break;
        case 8: steps += fmt::format("{}st.local.u32 [array], {};\n", guard(), a); break;
        case 9:
            steps += fmt::format("{}bra over{};\nmov.u32 {}, 4;\nover{}:\n", guard(), i, a, i);
            break;
        case 10: steps += "bar.sync 0;\n"; break;
        default: steps += fmt::format("{}st.global.u32 [%out], {};\n", guard(), a); break;
        }
    }
    return steps;
}

TEST(Undefined, FastChecksAgreeWithPreciseChecks)
{
    int found = 0, passed = 0;
    for (std::uint32_t seed = 1; seed <= 1500; ++seed) {
        const std::string steps = some_steps(seed);
        const Ended fast = ended(text_of(steps));
        // Because of the fence, blocks run in order and with the precise checks.
        const Ended precise = ended(text_of(steps + "membar.gl;"));
        EXPECT_EQ(fast.fault, precise.fault) << seed << "\n" << steps;
        EXPECT_TRUE(precise.precisely);
        found += !fast.fault.empty();
        passed += !fast.precisely;
    }
    EXPECT_GT(found, 300);
    EXPECT_GT(passed, 200);
}

} // namespace
} // namespace lanescope::simt
