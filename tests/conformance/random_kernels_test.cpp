// A fixed share of the kernels that are drawn by a seed, on the lockstep machine alone: whole or
// one instruction set, all cores or one, counted or not, checked or not. The GPU's share is
// --kernels.
#include <gtest/gtest.h>

#include "compute/simt/simt_device.h"
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
