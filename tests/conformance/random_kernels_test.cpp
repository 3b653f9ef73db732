// A fixed share of the seeded random kernels, on the lockstep machine alone: different instruction
// sets, all cores or one, counted or not, checked or not. --kernels runs the GPU's share.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "compute/simt/simt_device.h"
#include "tests/conformance/differential_kernels.h"
#include "tests/random_kernels/explain.h"
#include "tests/random_kernels/program.h"

namespace lanescope::random_kernels {
namespace {

TEST(RandomKernels, AllExecutionModesAgree)
{
    simt::Options plain;
    plain.isa = simt::Isa::baseline;
    plain.threads = 1;
    simt::Options checked;
    checked.checks = simt::Checks::all();
    const auto one = simt::make_device(plain);
    const auto other = simt::make_device();
    const auto third = simt::make_device(checked);
    // Native code for every instruction, and native code alternating with the interpreter.
    simt::Options native, mixed = checked;
    native.native = simt::NativeCode::always;
    mixed.native = simt::NativeCode::sometimes;
    plain.native = simt::NativeCode::never;
    plain.isa = {};
    const auto interpreted = simt::make_device(plain);
    const auto all_native = simt::make_device(native);
    const auto in_turns = simt::make_device(mixed);
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        SCOPED_TRACE(seed);
        const RandomKernel kernel = random_kernel(seed);
        try {
            trace::Trace first, second, faults;
            const auto results = run(*one, kernel, &first);
            EXPECT_EQ(difference(results, run(*other, kernel)), "");
            EXPECT_EQ(difference(results, run(*other, kernel, &second)), "");
            EXPECT_EQ(difference(results, run(*third, kernel, &faults)), "");
            EXPECT_TRUE(faults.faults.empty()) << faults.faults.front().message;
            bool same_lanes = false;
            EXPECT_EQ(difference(first, second, same_lanes), "");
            trace::Trace third_counts, fourth, fifth;
            EXPECT_EQ(difference(results, run(*interpreted, kernel, &third_counts)), "");
            EXPECT_EQ(difference(results, run(*all_native, kernel)), "");
            EXPECT_EQ(difference(results, run(*all_native, kernel, &fourth)), "");
            EXPECT_EQ(difference(results, run(*in_turns, kernel, &fifth)), "");
            EXPECT_EQ(difference(third_counts, fourth, same_lanes), "");
            EXPECT_EQ(difference(third_counts, fifth, same_lanes), "");
        } catch (const std::exception& error) {
            FAIL() << error.what();
        }
    }
}

// Sectors of local memory come from a model, which probes lack.
TEST(RandomKernels, ProbesLackModelledCounts)
{
    const auto device = simt::make_device();
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        trace::Trace machine;
        run(*device, random_kernel(seed), &machine);
        trace::Trace probes = machine;
        std::uint64_t modelled = 0;
        for (trace::Counts& counts : probes.counts)
            modelled += std::exchange(counts.modelled_sectors, 0);
        for (trace::WarpCounts& warp : probes.warps) warp.texel_sectors += 1;
        ASSERT_GT(modelled, 0u);
        bool same_lanes = false;
        EXPECT_NE(difference(machine, probes, same_lanes), "");
        EXPECT_EQ(difference(machine, probes, same_lanes, false), "");
        EXPECT_TRUE(same_lanes);
        probes.counts.front().executions += 1;
        EXPECT_NE(difference(machine, probes, same_lanes, false), "");
    }
}

// Simulates a GPU that a failed kernel has made unusable.
class LostDevice : public device::Device {
public:
    device::Engine engine() const override { gone(); }
    const device::Properties& properties() const override { gone(); }
    std::unique_ptr<device::Buffer> allocate(std::size_t) override { gone(); }
    std::unique_ptr<device::Image> allocate_image(int, int, int, device::Format) override
    {
        gone();
    }
    std::unique_ptr<device::Texture> texture(const device::Image&, const device::Sampling&) override
    {
        gone();
    }
    void upload(device::Address, std::span<const std::byte>) override { gone(); }
    void download(std::span<std::byte>, device::Address) override { gone(); }
    void upload(const device::Image&, std::span<const std::byte>) override { gone(); }
    void download(std::span<std::byte>, const device::Image&) override { gone(); }
    void copy(device::Address, device::Address, std::size_t) override { gone(); }
    void copy(const device::Image&, device::Address) override { gone(); }
    void fill(device::Address, std::uint8_t, std::size_t) override { gone(); }
    std::unique_ptr<device::Module> load(std::string_view) override { gone(); }
    void launch(const device::Kernel&, const device::Launch&) override { gone(); }
    void synchronize() override { gone(); }
    std::unique_ptr<device::Timer> timer() override { gone(); }

private:
    [[noreturn]] static void gone() { throw std::runtime_error("the GPU is gone"); }
};

conformance::KernelOptions options(std::uint64_t seed, std::uint64_t count)
{
    conformance::KernelOptions made;
    made.seed = seed;
    made.count = count;
    made.out = testing::TempDir();
    return made;
}

std::string kept(std::uint64_t seed)
{
    const std::string name = testing::TempDir() + "/kernel_" + std::to_string(seed) + ".ptx";
    std::ifstream file(name);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::filesystem::remove(name);
    return text;
}

TEST(RandomKernels, LosingGpuEndsRun)
{
    const auto machine = simt::make_device();
    LostDevice lost;
    std::vector<std::string> reported;
    const conformance::KernelReport report = conformance::compare_kernels(
        *machine, lost, options(7, 5), [&](const std::string& text) { reported.push_back(text); });
    EXPECT_EQ(report.lost_at, 7u);
    ASSERT_EQ(reported.size(), 1u);
    EXPECT_NE(reported[0].find("seed 7: failed: the plain launch: the GPU is gone"),
              std::string::npos)
        << reported[0];
    EXPECT_EQ(report.differ(), 1);
    EXPECT_NE(kept(7).find(random_kernel(7).ptx), std::string::npos);
}

// Simulates a wrong assembler: the machine is given a modified text. Counted launches, which are
// separate kernels on a GPU, run the original.
class Assembler : public LostDevice {
public:
    using Mistake = std::function<std::string(std::string)>;
    explicit Assembler(Mistake mistake) : mistake_(std::move(mistake)) {}

    device::Engine engine() const override { return device::Engine::cuda; }
    const device::Properties& properties() const override { return machine_->properties(); }
    std::unique_ptr<device::Buffer> allocate(std::size_t bytes) override
    {
        if (lost_) throw std::runtime_error("the GPU is gone");
        return machine_->allocate(bytes);
    }
    void upload(device::Address to, std::span<const std::byte> from) override
    {
        machine_->upload(to, from);
    }
    void download(std::span<std::byte> to, device::Address from) override
    {
        machine_->download(to, from);
    }
    std::unique_ptr<device::Module> load(std::string_view ptx) override
    {
        const std::string text = mistake_(std::string(ptx));
        lost_ = lost_ || text.empty();
        if (lost_) throw std::runtime_error("the GPU is gone");
        counted_ = machine_->load(ptx);
        return machine_->load(text);
    }
    void launch(const device::Kernel& kernel, const device::Launch& launch) override
    {
        machine_->launch(launch.trace ? counted_->kernel(kernel.name()) : kernel, launch);
    }
    void synchronize() override { machine_->synchronize(); }

private:
    std::unique_ptr<device::Device> machine_ = simt::make_device();
    std::unique_ptr<device::Module> counted_;
    Mistake mistake_;
    bool lost_ = false;
};

// Replaces every match of the regular expression `what` by `instead`.
Assembler::Mistake writes(std::string what, std::string instead)
{
    return [what = std::regex(what), instead](const std::string& text) {
        return std::regex_replace(text, what, instead);
    };
}

// Makes the same mistake only inside loops.
Assembler::Mistake in_loops(Assembler::Mistake mistake)
{
    return [mistake = std::move(mistake)](const std::string& text) {
        std::string out;
        std::size_t done = 0;
        for (std::size_t at = 0; (at = text.find("\nloop_", done)) != std::string::npos;) {
            const std::size_t number = at + 6;
            const std::string last =
                "\nnext_" + text.substr(number, text.find(':', number) + 1 - number);
            const std::size_t end = text.find(last, at);
            out += text.substr(done, at - done) + mistake(text.substr(at, end - at));
            done = end;
        }
        return out + text.substr(done);
    };
}

conformance::KernelReport report_of(const Assembler::Mistake& mistake, std::uint64_t seed,
                                    std::uint64_t count)
{
    const auto machine = simt::make_device();
    Assembler wrong(mistake);
    conformance::KernelOptions few = options(seed, count);
    few.mixed = true;
    few.shrinking_seconds = 1;
    std::string reported;
    const auto report = conformance::compare_kernels(
        *machine, wrong, few, [&](const std::string& text) { reported += text + "\n"; });
    for (std::uint64_t k = seed; k < seed + count; ++k) kept(k);
    EXPECT_EQ(report.lost_at, std::nullopt) << reported;
    std::uint64_t kernels = 0;
    for (const std::uint64_t some : report.kernels) kernels += some;
    for (const auto& [name, some] : report.explained) kernels += some;
    EXPECT_EQ(kernels, count) << reported;
    return report;
}

TEST(RandomKernels, KnownAssemblerIssueExplainsDifference)
{
    const std::pair<std::string, Assembler::Mistake> mistakes[] = {
        {"bfi or bfe by numbers",
         writes("(bf[ie]\\.\\w+ %r\\d+, %r\\d+)[^;]*, \\d+;", "not.b32 $1;")},
        {"brx.idx on which lanes part", writes("brx.idx (%n\\d+)", "mov.u32 $1, 0; brx.idx $1")},
        {"a uniform register where lanes part",
         writes("ld.param.u32 %r1, \\[second\\];\n ",
                "ld.param.u32 %r1, [second]; not.b32 %r1, %r1;\n ")},
        {"lanes that part in a function",
         writes("(call \\(back\\)[^;]*;\n *ld.param.b32 (%r\\d+), \\[back\\];)",
                "$1 not.b32 $2, $2;")},
        {"mad.hi in an unrolled loop",
         in_loops(writes("mad.hi.\\w+ (%r\\d+)[^;]*;", "add.u32 $1, $1, 1;"))},
        {"mov.b64 of what another block sets",
         writes("mov.b64 (%q\\d), \\{(%r\\d+), (%r(?:[0-389]|1\\d))\\};", "mov.b64 $1, {$3, $2};")},
        {"mov.b64 at the kernel's beginning, with probes",
         writes("mov.b64 %q2, \\{%r2, %r6\\};", "mov.b64 %q2, {%r6, %r2};")},
        {"min or max of a NaN and its copy",
         writes("(min|max)\\.f32 d, a, b;",
                "$1.f32 d, a, b; { .reg .pred no; testp.notanumber.f32 no, "
                "d; @no mov.b32 d, 0x7f812345; }")},
    };
    for (const auto& [name, mistake] : mistakes) {
        SCOPED_TRACE(name);
        const conformance::KernelReport report = report_of(mistake, 41000001, 80);
        EXPECT_EQ(report.differ(), 0) << report.table();
        ASSERT_EQ(report.explained.size(), 1u) << report.table();
        EXPECT_EQ(report.explained.begin()->first, name);
        EXPECT_NE(report.table().find("| explained by " + name + " | "), std::string::npos);
    }
}

TEST(RandomKernels, UnknownDifferenceStaysUnexplained)
{
    const auto report = report_of(
        writes("sub.u32 (%r\\d+), (%r\\d+), (%r\\d+);", "add.u32 $1, $2, $3;"), 41000001, 60);
    EXPECT_GT(report.differ(), 0) << report.table();
    EXPECT_TRUE(report.explained.empty()) << report.table();
}

// After a kernel has lost the GPU, the next process runs only rewritten versions of that kernel.
// If a version loses the GPU too, the process after that skips it.
TEST(RandomKernels, NextProcessExplainsKernelThatLostGpu)
{
    const auto machine = simt::make_device();
    const auto report_at = [&](std::uint64_t seed, const Assembler::Mistake& mistake,
                               int& processes) {
        conformance::KernelReport report;
        conformance::KernelOptions later_loss = options(seed, 1);
        later_loss.lost = 0;
        for (processes = 1;; ++processes) {
            Assembler wrong(mistake);
            report = conformance::compare_kernels(*machine, wrong, later_loss,
                                                  [](const std::string&) {});
            if (!report.lost_by) break;
            EXPECT_EQ(report.lost_at, seed);
            EXPECT_EQ(report.kernels.back(), 0u) << "counted by a later process";
            later_loss.lost = *report.lost_by + 1;
        }
        kept(seed);
        return report;
    };
    std::uint64_t seed = 1;
    while (random_kernel(seed).ptx.find("brx.idx") == std::string::npos) ++seed;
    int processes = 0;
    const auto explained = report_at(
        seed,
        [](std::string text) {
            return text.find("brx.idx") == std::string::npos ? text : std::string{};
        },
        processes);
    EXPECT_EQ(explained.differ(), 0);
    EXPECT_EQ(explained.explained.count("brx.idx on which lanes part"), 1u);
    EXPECT_EQ(processes, 2) << "uniform registers come before";
    const auto again = report_at(
        seed, [](const std::string&) { return std::string{}; }, processes);
    EXPECT_EQ(again.lost_at, std::nullopt);
    EXPECT_GT(processes, 3);
    EXPECT_EQ(again.kernels.back(), 1u);
}

// Simulates a GPU whose kernels never end.
class Endless : public Assembler {
public:
    Endless() : Assembler([](std::string text) { return text; }) {}
    void launch(const device::Kernel&, const device::Launch&) override
    {
        while (!cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        throw device::Cancelled();
    }
    void synchronize() override
    {
        if (cancelled()) throw device::Cancelled();
    }
};

TEST(RandomKernels, EndlessKernelLosesGpu)
{
    const auto machine = simt::make_device();
    Endless wrong;
    conformance::KernelOptions hasty = options(7, 5);
    hasty.patience_seconds = 0.5;
    const auto report =
        conformance::compare_kernels(*machine, wrong, hasty, [](const std::string&) {});
    EXPECT_EQ(report.lost_at, 7u) << report.table();
    EXPECT_NE(kept(7).find("cancelled"), std::string::npos);
}

// If even the cancelled launch does not return, another thread makes the report.
TEST(RandomKernels, StuckProcessIsReported)
{
    class Stuck : public Endless {
    public:
        void launch(const device::Kernel& /*kernel*/, const device::Launch& /*launch*/) override
        {
            while (!reported) std::this_thread::sleep_for(std::chrono::milliseconds(10));
            throw device::Cancelled();
        }
        std::atomic<bool> reported = false;
    };
    const auto machine = simt::make_device();
    Stuck stuck;
    conformance::KernelOptions hasty = options(7, 5);
    hasty.patience_seconds = 0.5;
    std::optional<std::uint64_t> lost_at;
    hasty.stuck = [&](const conformance::KernelReport& report) {
        lost_at = report.lost_at;
        stuck.reported = true;
    };
    conformance::compare_kernels(*machine, stuck, hasty, [](const std::string&) {});
    EXPECT_EQ(lost_at, 7u);
    kept(7);
}

// Native code, alone and alternating with the interpreter, compared with the interpreter; each
// kernel runs a second time with a defect.
TEST(RandomKernels, NativeCodeFaultsMatchInterpreter)
{
    simt::Options interpreted;
    interpreted.threads = 1;
    interpreted.keep_going = 8;
    interpreted.native = simt::NativeCode::never;
    conformance::KernelOptions few = options(1, 60);
    few.mixed = few.damaged = true;
    for (const bool checked : {false, true}) {
        SCOPED_TRACE(checked);
        if (checked) interpreted.checks = simt::Checks::all();
        const auto machine = simt::make_device(interpreted);
        simt::Options native = interpreted;
        for (const auto use : {simt::NativeCode::always, simt::NativeCode::sometimes}) {
            native.native = use;
            const auto other = simt::make_device(native);
            std::string reported;
            const auto report = conformance::compare_kernels(
                *machine, *other, few, [&](const std::string& text) { reported += text + "\n"; });
            EXPECT_EQ(report.differ(), 0) << reported;
            EXPECT_GT(report.faulted, few.count / 2);
        }
    }
    // An engine that detects more faults counts as a difference.
    interpreted.checks = {};
    const auto machine = simt::make_device(interpreted);
    interpreted.checks = simt::Checks::all();
    const auto other = simt::make_device(interpreted);
    few.shrinking_seconds = 0;
    const auto report =
        conformance::compare_kernels(*machine, *other, few, [](const std::string&) {});
    EXPECT_GT(report.kernels[static_cast<std::size_t>(conformance::Differs::faults)], 0u);
    EXPECT_EQ(report.kernels[static_cast<std::size_t>(conformance::Differs::faults)],
              static_cast<std::uint64_t>(report.differ()));
    for (std::uint64_t k = few.seed; k < few.seed + few.count; ++k) kept(k);
}

// The damaged kernel calls a function whose frame was used before by a function with undefined
// values: their state must not carry over.
TEST(RandomKernels, ReusedFramesForgetUndefinedValues)
{
    simt::Options checked;
    checked.threads = 1;
    checked.keep_going = 16;
    checked.checks = simt::Checks::all();
    const auto machine = simt::make_device(checked);
    constexpr std::uint64_t seed = 52009656;
    trace::Trace trace;
    run(*machine, damaged(kernel_of(draw(seed, mixed_size(seed)))), &trace);
    EXPECT_FALSE(trace.faults.empty());
}

// Rewrites that avoid known assembler issues do not change results.
TEST(RandomKernels, RewritesComputeTheSame)
{
    const auto machine = simt::make_device();
    std::vector<int> changed(explanations().size()), same(changed);
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const RandomKernel kernel = kernel_of(draw(seed, mixed_size(seed)));
        const auto results = run(*machine, kernel);
        for (std::size_t k = 0; k < changed.size(); ++k) {
            RandomKernel other = kernel;
            other.ptx = explanations()[k].without(kernel.ptx);
            if (other.ptx == kernel.ptx) continue;
            ++changed[k];
            same[k] += difference(results, run(*machine, other)).empty() ? 1 : 0;
        }
    }
    for (std::size_t k = 0; k < changed.size(); ++k) {
        SCOPED_TRACE(explanations()[k].name);
        EXPECT_GT(changed[k], 3);
        // For bit fields with immediate operands the machine follows the hardware, not the manual.
        EXPECT_GE(same[k],
                  explanations()[k].name.starts_with("bf") ? changed[k] * 9 / 10 : changed[k]);
    }
}

// Reports refer to seeds, so the kernel of a seed must not change unnoticed.
void reach_every_kind_of_statement(Size size, std::uint64_t seeds)
{
    std::string all;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Program program = draw(seed, size);
        EXPECT_EQ(kernel_of(program).ptx, kernel_of(draw(seed, size)).ptx);
        all += kernel_of(program).ptx;
    }
    for (const char* word :
         {"brx.idx",        "bra loop_",        "call (back), f", "call (back), chosen",
          "shfl.sync.bfly", "vote.sync.ballot", "match.any",      "match.all",
          "redux.sync",     "bar.red.popc",     "bar.warp.sync",  "atom.global.cas",
          "red.shared",     "red.global",       "cp.async",       "ld.local",
          "bra end_",       "bra next_",        "ld.const",       "exit;",
          "add.cc",         "fma.rn.f16x2",     "div.rn.f64"})
        EXPECT_NE(all.find(word), std::string::npos) << word;
}

TEST(RandomKernels, ReachEveryKindOfStatement)
{
    reach_every_kind_of_statement(Size::usual, 60);
}

TEST(RandomKernels, SmallKernelsReachEveryKindOfStatement)
{
    reach_every_kind_of_statement(Size::small, 120);
}

TEST(RandomKernels, ShrinkingKeepsDifference)
{
    // Simulates engines that disagree about popc inside loops.
    const auto differs = [](const Program& program) {
        const std::string text = kernel_of(program).ptx;
        const std::size_t loop = text.find("loop_");
        return loop != std::string::npos && text.find("popc.b32", loop) != std::string::npos;
    };
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Program program = draw(seed);
        if (!differs(program) || size_of(program) < 60) continue;
        const Program small = shrink(program, differs);
        EXPECT_TRUE(differs(small));
        EXPECT_LE(size_of(small), 3u);
        EXPECT_EQ(small.grid.count(), 1u);
        const auto device = simt::make_device();
        EXPECT_NO_THROW(run(*device, kernel_of(small)));
        return;
    }
    FAIL() << "no program to shrink";
}

} // namespace
} // namespace lanescope::random_kernels
