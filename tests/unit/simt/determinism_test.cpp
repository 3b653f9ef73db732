// The same bits and counts on any number of cores and with every instruction set.
#include <gtest/gtest.h>

#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

struct Outcome {
    std::vector<float> product;
    std::vector<int> choices;
    std::vector<trace::Counts> counts;
    std::vector<trace::WarpCounts> warps;
    std::vector<std::uint32_t> touches;
    std::vector<std::uint32_t> distinct;
    std::vector<std::uint32_t> owners;
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run(const Options& options, int n = 64)
{
    Outcome outcome;
    Machine blocks("blocks", options);
    std::vector<float> values(n * n);
    const auto seeds = numbers(n * n, 100000);
    for (int i = 0; i < n * n; ++i) values[i] = static_cast<float>(seeds[i]) * 0.37f;
    const auto a = blocks.buffer(values);
    const auto c = blocks.buffer(std::vector<float>(n * n));
    trace::Trace trace;
    trace.watched.address = a->address();
    trace.watched.bytes = a->bytes();
    trace.footprint.address = c->address();
    trace.footprint.bytes = c->bytes();
    const auto tiles = static_cast<std::uint32_t>(n / 16);
    blocks.run_traced(&trace, "multiply", {{tiles, tiles, 1}, {16, 16, 1}, 0}, *a, *a, *c, n);
    outcome.product = blocks.values<float>(*c);
    outcome.counts = trace.counts;
    outcome.warps = trace.warps;
    outcome.touches = trace.watched.touches;
    outcome.distinct = trace.watched.warps;
    outcome.owners = trace.footprint.owners;

    Machine flow("flow", options);
    const auto in = flow.buffer(numbers(1000, 100000));
    const auto out = flow.buffer(std::vector<int>(1000));
    flow.run("choices", {{8, 1, 1}, {128, 1, 1}, 0}, *in, *out, 1000);
    outcome.choices = flow.values<int>(*out);
    return outcome;
}

TEST(Determinism, IndependentOfCoresAndInstructionSets)
{
    Options one;
    one.threads = 1;
    const Outcome want = run(one);
    for (int threads : {2, 3, 7}) {
        Options options;
        options.threads = threads;
        EXPECT_EQ(run(options), want) << threads;
    }
    for (Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
        if (!is_available(isa)) continue;
        Options options;
        options.isa = isa;
        EXPECT_EQ(run(options), want) << static_cast<int>(isa);
    }
    for (NativeCode native : {NativeCode::never, NativeCode::always, NativeCode::sometimes}) {
        Options options;
        options.native = native;
        EXPECT_EQ(run(options), want) << static_cast<int>(native);
    }
}

// Without an explicit core count, more cores join once a checked launch has run for a while.
TEST(Determinism, IndependentOfLateCores)
{
    Options checked;
    checked.checks = Checks::all();
    checked.threads = 1;
    constexpr int n = 192; // milliseconds
    const Outcome want = run(checked, n);
    checked.threads = 0;
    EXPECT_EQ(run(checked, n), want);
}

TEST(Determinism, MatmulMapsAreEqual)
{
    const Outcome outcome = run({});
    // Every 32-byte sector of `a` is read by 4 blocks as the left and by 4 as the right matrix: 8
    // requests by 8 warps, minus those made by the same warp.
    for (std::uint32_t touches : outcome.touches) EXPECT_EQ(touches, 8u);
    for (std::uint32_t warps : outcome.distinct) EXPECT_LE(warps, 8u);
    // A warp stores two rows of a tile.
    for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x) {
            const int block = y / 16 * 4 + x / 16;
            EXPECT_EQ(outcome.owners[y * 64 + x],
                      static_cast<std::uint32_t>(block * 8 + y % 16 / 2 + 1));
        }
}

} // namespace
} // namespace lanescope::simt
