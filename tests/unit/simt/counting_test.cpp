// The machine's counts of an access equal the counting rules applied to its addresses, for every
// width, offset and stride, in global and shared memory.
#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compute/counting/counting.h"
#include "compute/simt/checks/recording/counting_observer.h"
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

// Lane i loads or stores at begin + first + i * stride; lanes above `last` are inactive.
std::string kernel(const Width& width, bool shared, bool store)
{
    const std::string space = shared ? "shared" : "global";
    const std::string access =
        store ? fmt::format("st.{}.{} [%rd4], {};", space, width.type, width.values)
              : fmt::format("ld.{}.{} {}, [%rd4];", space, width.type, width.values);
    return fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 begin, .param .u32 first, .param .u32 stride, .param .u32 last)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<6>;
    .shared .align 128 .b8 tile[8192];
    ld.param.u64 %rd1, [begin];
    ld.param.u32 %r5, [first];
    ld.param.u32 %r6, [stride];
    ld.param.u32 %r7, [last];
    mov.u32 %r8, %tid.x;
    mad.lo.u32 %r9, %r8, %r6, %r5;
    cvt.u64.u32 %rd2, %r9;
    mov.u64 %rd3, {};
    add.s64 %rd4, %rd3, %rd2;
    setp.le.u32 %p1, %r8, %r7;
    @%p1 {}
    ret;
}}
)",
                       shared ? "tile" : "%rd1", access);
}

TEST(Counting, MatchesRulesForEveryPattern)
{
    for (const Width& width : widths)
        for (const bool shared : {false, true})
            for (const bool store : {false, true}) {
                Machine machine = Machine::from_text(kernel(width, shared, store));
                const auto memory = machine.buffer(std::vector<std::uint8_t>(8192));
                for (int first : {0, 1, 3, 8})
                    for (int step : {0, 1, 2, 3, 5})
                        for (std::uint32_t last : {31u, 12u, 0u}) {
                            const auto at = static_cast<std::uint32_t>(first * width.bytes);
                            const auto stride = static_cast<std::uint32_t>(step * width.bytes);
                            trace::Trace trace;
                            machine.run_traced(&trace, "k", {}, *memory, at, stride, last);
                            ASSERT_EQ(trace.counts.size(), 1u);
                            const trace::Counts& got = trace.counts[0];

                            std::array<std::uint64_t, 32> addresses;
                            for (std::uint32_t lane = 0; lane < 32; ++lane)
                                addresses[lane] =
                                    (shared ? 0 : memory->address()) + at + lane * stride;
                            const std::uint32_t mask = last == 31 ? full_mask : (2u << last) - 1;
                            trace::Counts want;
                            want.executions = want.requests = 1;
                            want.lanes = last + 1;
                            if (shared) {
                                const auto cost =
                                    store ? counting::shared_store(addresses, mask, width.bytes)
                                          : counting::shared_load(addresses, mask, width.bytes);
                                add_cost(want, cost);
                            } else {
                                const auto cost =
                                    counting::global_access(addresses, mask, width.bytes);
                                add_cost(want, cost);
                            }
                            for (const trace::CountRow& row : trace::count_rows)
                                EXPECT_EQ(got.*row.field, want.*row.field)
                                    << row.name << ": " << width.type
                                    << (shared ? " shared" : " global")
                                    << (store ? " store" : " load") << " first " << first
                                    << " step " << step << " last " << last;
                        }
            }
}

} // namespace
} // namespace lanescope::simt
