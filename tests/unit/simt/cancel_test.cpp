// Launches that would run for hours end soon after a cancel, and the device stays usable.
#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

#include <gtest/gtest.h>

#include "compute/simt/debug/timeline.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

constexpr std::string_view kernels = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry arithmetic(.param .u64 out, .param .u32 turns)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [turns];
    mov.u32 %r2, 0;
loop:
    add.s32 %r2, %r2, 1;
    setp.ne.s32 %p1, %r2, %r1;
    @%p1 bra loop;
    mov.u32 %r3, %ctaid.x;
    setp.eq.s32 %p1, %r3, 0;
    @%p1 st.global.u32 [%rd1], %r2;
    ret;
}
.visible .entry barriers(.param .u64 out, .param .u32 turns)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [turns];
    mov.u32 %r2, 0;
loop:
    bar.sync 0;
    add.s32 %r2, %r2, 1;
    setp.ne.s32 %p1, %r2, %r1;
    @%p1 bra loop;
    st.global.u32 [%rd1], %r2;
    ret;
}
.visible .entry waiting(.param .u64 out, .param .u32 turns)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [turns];
loop:
    ld.volatile.global.u32 %r2, [%rd1];
    setp.ne.s32 %p1, %r2, %r1;
    @%p1 bra loop;
    ret;
}
.visible .entry short_blocks(.param .u64 out, .param .u32 turns)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [turns];
    mov.u32 %r2, 0;
    st.global.u32 [%rd1], %r1;
    ret;
}
)";

Options patient(int threads, Checks checks = {})
{
    Options options;
    options.threads = threads;
    options.checks = checks;
    options.step_budget = options.patience = ~std::uint64_t{0} >> 1;
    return options;
}

// CPU time of this process in milliseconds, over all cores, so that other load is not counted.
double work_ms()
{
    return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// CPU time between cancel() and the end of a launch that was running.
double work_to_end(Machine& machine, std::string_view kernel, const Machine::Shape& shape,
                   const device::Buffer& out)
{
    std::atomic<double> asked = 0;
    std::thread canceller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        asked = work_ms();
        machine.device().cancel();
    });
    EXPECT_THROW(machine.run(kernel, shape, out, 0xffffffffu), device::Cancelled);
    const double ended = work_ms();
    canceller.join();
    EXPECT_THROW(machine.run(kernel, shape, out, 0xffffffffu), device::Cancelled) << "not resumed";
    machine.device().resume();
    return ended - asked;
}

TEST(Cancel, EndsEveryKindOfLaunch)
{
    for (const Options& options : {patient(1), patient(2), patient(2, Checks::all())})
        for (const auto& [kernel, blocks] :
             {std::pair{"arithmetic", 8u}, std::pair{"barriers", 8u}, std::pair{"waiting", 8u},
              std::pair{"short_blocks", 2147483647u}}) {
            Machine machine = Machine::from_text(kernels, options);
            const auto out = machine.buffer(std::vector<std::uint32_t>{7});
            const double work = work_to_end(machine, kernel, {{blocks, 1, 1}, {64, 1, 1}, 0}, *out);
            EXPECT_LE(work, 10.0 * options.threads) << kernel << " on " << options.threads;

            machine.run("arithmetic", {{2, 1, 1}, {64, 1, 1}, 0}, *out, 1000u);
            EXPECT_EQ(machine.values<std::uint32_t>(*out)[0], 1000u) << kernel;
        }
}

TEST(Cancel, KeepsWritesAndAllowsCopies)
{
    Machine machine = Machine::from_text(kernels, patient(1));
    const auto out = machine.buffer(std::vector<std::uint32_t>{7, 8});
    work_to_end(machine, "waiting", {{4, 1, 1}, {32, 1, 1}, 0}, *out);
    machine.device().cancel();
    EXPECT_EQ(machine.values<std::uint32_t>(*out), (std::vector<std::uint32_t>{7, 8}));
    const auto more = machine.buffer(std::vector<std::uint32_t>{9});
    EXPECT_EQ(machine.values<std::uint32_t>(*more)[0], 9u);
    EXPECT_NO_THROW(machine.device().load(kernels));
}

TEST(Cancel, SteppingCanContinue)
{
    Machine machine = Machine::from_text(kernels, patient(1));
    const auto out = machine.buffer(std::vector<std::uint32_t>{7});
    Timeline timeline(machine.device(), machine.module().kernel("arithmetic"),
                      {{1, 1, 1}, {32, 1, 1}, 0, {*out, 0xffffffffu}, nullptr});
    std::thread canceller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        machine.device().cancel();
    });
    EXPECT_THROW(timeline.go_to(~std::uint64_t{0}), device::Cancelled);
    canceller.join();
    const auto position = timeline.position();
    EXPECT_GT(position, 0u);
    machine.device().resume();
    timeline.step();
    EXPECT_EQ(timeline.position(), position + 1);
    timeline.back();
    EXPECT_EQ(timeline.position(), position);
}

} // namespace
} // namespace lanescope::simt
