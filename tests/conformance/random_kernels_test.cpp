// A fixed share of the kernels that are drawn by a seed, on the lockstep machine alone: whole or
// one instruction set, all cores or one, counted or not, checked or not. The GPU's share is
// --kernels.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

#include "compute/simt/simt_device.h"
#include "tests/conformance/differential_kernels.h"
#include "tests/random_kernels/program.h"

namespace lanescope::random_kernels {
namespace {

TEST(RandomKernels, AllWaysToRunThemAgree)
{
    simt::Options plain;
    plain.isa = simt::Isa::baseline;
    plain.threads = 1;
    simt::Options checked;
    checked.checks = simt::Checks::all();
    const auto one = simt::make_device(plain);
    const auto other = simt::make_device();
    const auto third = simt::make_device(checked);
    // Native code from the first instruction on, and in turns with the interpreter.
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

// Local memory's sectors come from a model, which probes do not have.
TEST(RandomKernels, ModelsAreTheLockstepMachinesAlone)
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

// As a GPU after a kernel has failed on it.
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

TEST(RandomKernels, RunEndsWithTheKernelThatLosesTheGpu)
{
    const auto machine = simt::make_device();
    LostDevice lost;
    std::vector<std::string> told;
    const std::string out = testing::TempDir();
    const conformance::KernelReport report = conformance::compare_kernels(
        *machine, lost, {7, 5, 1e9, out}, [&](const std::string& text) { told.push_back(text); });
    EXPECT_EQ(report.lost_at, 7u);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_NE(told[0].find("seed 7: failed: the plain launch: the GPU is gone"), std::string::npos)
        << told[0];
    EXPECT_EQ(report.differ(), 1);
    std::ifstream file(out + "/kernel_7.ptx");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    EXPECT_NE(text.find(random_kernel(7).ptx), std::string::npos);
    std::filesystem::remove(out + "/kernel_7.ptx");
}

// What a seed draws must not change unnoticed: it is what a report names.
TEST(RandomKernels, ReachEveryKindOfStatement)
{
    std::string all;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Program program = draw(seed);
        EXPECT_EQ(kernel_of(program).ptx, random_kernel(seed).ptx);
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

TEST(RandomKernels, AreShrunkToWhatDiffers)
{
    // As if engines disagreed about population counts within a loop.
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
