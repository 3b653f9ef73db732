// Repeated accesses by lanes that are far apart, with and without synchronisation: the fast checks
// accept exactly the kernels that the precise checks accept.
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

constexpr int block_threads = 64;
constexpr int stride = 192; // distance between neighbouring lanes' elements, in bytes

class Steps {
public:
    explicit Steps(std::uint32_t seed) : random_(seed), shared_(one_of(2) == 0) {}

    // Returns random steps: synchronisation, and accesses to the thread's own or another's element.
    std::string text()
    {
        std::string steps;
        for (int i = 3 + one_of(6); i > 0; --i) steps += step();
        return steps;
    }
    bool shared() const { return shared_; }

private:
    int one_of(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
    std::string step()
    {
        const int what = one_of(12);
        if (what == 0) return "bar.sync 0;\n";
        if (what <= 2) return "bar.warp.sync -1;\n";
        std::string text;
        // Chooses the owner of the accessed element, which usually is the thread itself.
        const int whose = std::max(one_of(14) - 8, 0);
        constexpr const char* others[] = {
            "mov.u32 %who, %tid.x;\n",      "xor.b32 %who, %thread, 1;\n",
            "xor.b32 %who, %thread, 31;\n", "xor.b32 %who, %thread, 32;\n",
            "and.b32 %who, %thread, 62;\n", "mov.u32 %who, 7;\n"};
        text += others[whose];
        text += fmt::format("mad.lo.u32 %at, %who, {}, {};\ncvt.u64.u32 %place, %at;\n"
                            "add.s64 %place, %place, %base;\n",
                            stride, 8 * one_of(3));
        const int bytes = 1 << one_of(4), part = bytes < 8 && one_of(4) == 0 ? bytes : 0;
        const std::string_view space = shared_ ? "shared" : "global";
        const std::string_view value = bytes == 8 ? "%long" : bytes == 4 ? "%word" : "%half";
        const std::string guard = one_of(5) == 0 ? "@%odd " : "";
        switch (one_of(5)) {
        case 0:
        case 1:
            return text + fmt::format("{}ld.{}.u{} {}, [%place+{}];\n", guard, space, 8 * bytes,
                                      value, part);
        case 2:
            if (bytes >= 4)
                return text + fmt::format("{}red.{}.add.u{} [%place+{}], {};\n", guard, space,
                                          8 * bytes, part, value);
            [[fallthrough]];
        default: {
            const bool alike = one_of(3) == 0;
            if (alike) text += "mov.u16 %half, 5;\nmov.u32 %word, 5;\nmov.u64 %long, 5;\n";
            return text + fmt::format("{}st.{}.u{} [%place+{}], {};\n", guard, space, 8 * bytes,
                                      part, value);
        }
        }
    }

    std::minstd_rand random_;
    bool shared_;
};

// Every thread first writes its own element. `last_steps` come at the end.
std::string kernel(const std::string& steps, bool shared, std::string_view last_steps)
{
    std::string first;
    for (const int offset : {0, 8, 16})
        first +=
            fmt::format("st.{}.u64 [%place+{}], %long;\n", shared ? "shared" : "global", offset);
    return fmt::format(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 global)
{{
.reg .pred %odd;
.reg .b16 %half;
.reg .b32 %thread, %who, %at, %word;
.reg .b64 %base, %place, %long;
.shared .align 8 .b8 places[{0}];
mov.u32 %thread, %tid.x;
and.b32 %who, %thread, 1;
setp.ne.u32 %odd, %who, 0;
cvt.u64.u32 %long, %thread;
mov.u32 %word, %thread;
cvt.u16.u32 %half, %thread;
{1}
mad.lo.u32 %at, %thread, {2}, 0;
cvt.u64.u32 %place, %at;
add.s64 %place, %place, %base;
{3}bar.sync 0;
{4}{5}ret;
}}
)",
                       block_threads * stride,
                       shared ? "mov.u64 %base, places;" : "ld.param.u64 %base, [global];", stride,
                       first, steps, last_steps);
}

TEST(ScatteredAccesses, FastChecksAgreeWithPreciseChecks)
{
    int found = 0, passed = 0;
    for (std::uint32_t seed = 1; seed <= 1500; ++seed) {
        Steps steps(seed);
        const std::string text = steps.text();
        const auto run = [&](std::string_view last_steps) {
            Options options;
            options.checks = Checks::all();
            options.threads = 1;
            Machine machine = Machine::from_text(kernel(text, steps.shared(), last_steps), options);
            const auto memory = machine.buffer(std::vector<int>(block_threads * stride / 4));
            const trace::Fault fault =
                machine.fault("k", {{1, 1, 1}, {block_threads, 1, 1}}, *memory);
            return fault.kind + ": " + fault.message;
        };
        const std::string fast = run("");
        // A kernel with a fence runs its blocks in order, with the precise checks.
        EXPECT_EQ(fast, run("membar.gl;\n")) << seed << "\n" << text;
        (fast == "none: " ? passed : found) += 1;
    }
    EXPECT_GT(found, 300);
    EXPECT_GT(passed, 300);
}

} // namespace
} // namespace lanescope::simt
