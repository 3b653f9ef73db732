// Launches of which only some blocks are checked: results and counts are those of the whole launch,
// and mistakes in the chosen blocks are found.
#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/simt/machine/launch/sample_blocks.h"
#include "compute/trace/sample.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Machine::Shape wide{{32, 16, 1}, {64, 1, 1}, 0}; // 512 blocks
constexpr int blocks = 512;
constexpr int threads = blocks * 64;
constexpr int right_edge = 31; // of blocks modulo 32

struct Setting {
    int cores = 1;
    bool precise = false;
};
void PrintTo(const Setting& setting, std::ostream* to) // for messages of Google Test
{
    *to << setting.cores << (setting.precise ? " precise" : " fast");
}

Options options_for(const Setting& setting, trace::Sample* sample)
{
    Options options;
    options.threads = setting.cores;
    options.checks = Checks::all();
    options.precise_checks = setting.precise;
    options.sample = sample;
    return options;
}

class SampledLaunches : public testing::TestWithParam<Setting> {
protected:
    trace::Sample sample_;
    Machine machine_{"sample", options_for(GetParam(), &sample_)};
};

INSTANTIATE_TEST_SUITE_P(Engines, SampledLaunches,
                         testing::Values(Setting{1, false}, Setting{3, false}, Setting{2, true}),
                         [](const auto& made) {
                             return fmt::format("{}_{}", made.param.cores,
                                                made.param.precise ? "precise" : "fast");
                         });

struct Outcome {
    std::vector<int> first, second;
    trace::Trace trace;
};

// Runs a kernel with two buffers, or one if `second` is empty.
Outcome outcome(Machine& machine, std::string_view kernel, const std::vector<int>& first,
                const std::vector<int>& second)
{
    Outcome made;
    made.trace.records_touches = true;
    const auto a = machine.buffer(first);
    if (second.empty()) {
        machine.run_traced(&made.trace, kernel, wide, *a);
        return {machine.values<int>(*a), {}, std::move(made.trace)};
    }
    const auto b = machine.buffer(second);
    machine.run_traced(&made.trace, kernel, wide, *a, *b);
    made.first = machine.values<int>(*a);
    made.second = machine.values<int>(*b);
    return made;
}

// Compares ranges relative to the allocation, whose address depends on earlier ones.
bool same_ranges(const trace::Touched& a, const trace::Touched& b)
{
    const auto same = [&](const trace::Touched::Range& mine, const trace::Touched::Range& theirs) {
        return mine.any() == theirs.any() &&
               (!mine.any() || (mine.begin - a.allocation == theirs.begin - b.allocation &&
                                mine.end - a.allocation == theirs.end - b.allocation));
    };
    return same(a.read, b.read) && same(a.written, b.written) && same(a.updated, b.updated);
}

TEST_P(SampledLaunches, ResultsAndCountsAreOfAllBlocks)
{
    struct Case {
        const char* kernel;
        std::vector<int> second;
    };
    const std::vector<int> in = numbers(threads, 1000);
    for (const Case& each : {Case{"scale", {}}, Case{"add_up", std::vector<int>(32, 5)},
                             Case{"reverse_tiles", std::vector<int>(threads, -1)}}) {
        SCOPED_TRACE(each.kernel);
        Machine whole("sample", options_for(GetParam(), nullptr));
        const Outcome wanted = outcome(whole, each.kernel, in, each.second);
        sample_.forget();
        const Outcome sampled = outcome(machine_, each.kernel, in, each.second);
        EXPECT_EQ(sampled.first, wanted.first);
        EXPECT_EQ(sampled.second, wanted.second);
        EXPECT_THAT(sampled.trace.faults, IsEmpty());
        EXPECT_EQ(sampled.trace.counts, wanted.trace.counts);
        EXPECT_EQ(sampled.trace.warps, wanted.trace.warps);
        ASSERT_EQ(sampled.trace.touched.size(), wanted.trace.touched.size());
        for (std::size_t i = 0; i < wanted.trace.touched.size(); ++i)
            EXPECT_TRUE(same_ranges(sampled.trace.touched[i], wanted.trace.touched[i])) << i;
        EXPECT_EQ(sampled.trace.warp_instructions, wanted.trace.warp_instructions);
        EXPECT_EQ(sampled.trace.thread_instructions, wanted.trace.thread_instructions);
        EXPECT_EQ(sampled.trace.blocks_ended, std::uint64_t{blocks});
        EXPECT_EQ(sample_.blocks, std::uint64_t{blocks});
        EXPECT_EQ(sample_.checked, sample_blocks(wide.grid, 1).size());
        EXPECT_EQ(sample_.reason_for_all, "");
        EXPECT_FALSE(sample_.stopped);
    }
}

TEST_P(SampledLaunches, RunWithoutTrace)
{
    const std::vector<int> in = numbers(threads, 1000);
    const auto data = machine_.buffer(in);
    machine_.run("scale", wide, *data);
    std::vector<int> wanted = in;
    for (int& value : wanted) value = value * 3 + 1;
    EXPECT_EQ(machine_.values<int>(*data), wanted);
    EXPECT_LT(sample_.checked, sample_.blocks);
}

struct Mistake {
    int every, offset;
};
const std::vector<Mistake> mistakes{{blocks, blocks - 1}, {32, right_edge}, {10, 3}};

TEST_P(SampledLaunches, MistakesOfChosenBlocksAreFound)
{
    for (const auto& [every, offset] : mistakes) {
        SCOPED_TRACE(every);
        const auto out = machine_.buffer(std::vector<int>(threads));
        const auto never = machine_.device().allocate(threads * sizeof(int));
        const trace::Fault race = machine_.fault("race", wide, *out, every, offset);
        EXPECT_EQ(race.kind, "race");
        EXPECT_EQ(race.line, 29) << race.message;
        const trace::Fault unwritten =
            machine_.fault("read_unwritten", wide, *never, *out, every, offset);
        EXPECT_EQ(unwritten.kind, "uninitialised");
        EXPECT_EQ(unwritten.line, 37) << unwritten.message;
        EXPECT_EQ(static_cast<int>(unwritten.block.y * 32 + unwritten.block.x) % every, offset);
    }
}

TEST_P(SampledLaunches, FaultHasCountsOfBlocksBeforeIt)
{
    trace::Trace trace;
    const auto out = machine_.buffer(std::vector<int>(threads));
    EXPECT_THROW(machine_.run_traced(&trace, "race", wide, *out, blocks, blocks - 1),
                 device::KernelFault);
    ASSERT_EQ(trace.faults.size(), 1U);
    EXPECT_TRUE(sample_.stopped);
    EXPECT_EQ(sample_.checked, trace.blocks_ended);
    EXPECT_EQ(sample_.checked, sample_blocks(wide.grid, 1).size() - 1);
}

int unchosen_block(const Dim3& grid)
{
    const std::vector<std::uint64_t> chosen = sample_blocks(grid, 1);
    std::uint64_t block = 1;
    while (std::ranges::binary_search(chosen, block)) ++block;
    return static_cast<int>(block);
}

TEST_P(SampledLaunches, BoundsAreCheckedInAllBlocks)
{
    const int block = unchosen_block(wide.grid);
    const auto out = machine_.buffer(std::vector<int>(threads));
    trace::Trace trace;
    EXPECT_THROW(machine_.run_traced(&trace, "past_the_end", wide, *out, threads, blocks, block),
                 device::KernelFault);
    ASSERT_EQ(trace.faults.size(), 1U);
    EXPECT_EQ(trace.faults[0].kind, "out_of_bounds");
    EXPECT_EQ(trace.faults[0].line, 44);
    EXPECT_EQ(static_cast<int>(trace.faults[0].block.y * 32 + trace.faults[0].block.x), block);
    EXPECT_TRUE(sample_.stopped);
    EXPECT_EQ(sample_.checked, sample_blocks(wide.grid, 1).size());
}

TEST_P(SampledLaunches, RacesOfOtherBlocksGoUnnoticed)
{
    const auto out = machine_.buffer(std::vector<int>(threads));
    EXPECT_EQ(machine_.fault("race", wide, *out, blocks, unchosen_block(wide.grid)).kind, "none");
}

TEST_P(SampledLaunches, LaterLaunchesMayReadStoresOfAllBlocks)
{
    const auto made = machine_.device().allocate(threads * sizeof(int));
    const auto out = machine_.buffer(std::vector<int>(threads));
    EXPECT_EQ(machine_.fault("read_unwritten", wide, *out, *made, blocks, -1).kind, "none");
    EXPECT_EQ(machine_.fault("copy", wide, *made, *out).kind, "none");
    EXPECT_EQ(machine_.values<int>(*out), std::vector<int>(threads, 1));
}

TEST_P(SampledLaunches, BytesThatNoBlockStoredStayUnwritten)
{
    const auto made = machine_.device().allocate(threads * sizeof(int));
    const auto out = machine_.buffer(std::vector<int>(threads));
    EXPECT_EQ(machine_.fault("fill_even", wide, *made).kind, "none");
    EXPECT_EQ(machine_.device().unwritten(made->address(), threads * sizeof(int), 0).bytes,
              threads * sizeof(int) / 2);
    const trace::Fault fault = machine_.fault("copy", wide, *made, *out);
    EXPECT_EQ(fault.kind, "uninitialised");
    EXPECT_EQ(fault.line, 54);
    EXPECT_EQ(fault.thread, (Dim3{1, 0, 0}));
}

TEST_P(SampledLaunches, DependentBlocksAreAllChecked)
{
    const std::vector<int> in = numbers(blocks, 1000);
    const auto given = machine_.buffer(in);
    const auto sums = machine_.device().allocate(blocks * sizeof(int));
    const auto arrived = machine_.buffer(std::vector<unsigned>{0});
    const auto total = machine_.buffer(std::vector<int>{0});
    EXPECT_EQ(machine_.fault("last_adds", wide, *given, *sums, *arrived, *total).kind, "none");
    int wanted = 0;
    for (const int value : in) wanted += value;
    EXPECT_THAT(machine_.values<int>(*total), ElementsAre(wanted));
    EXPECT_EQ(sample_.checked, sample_.blocks);
    EXPECT_THAT(sample_.reason_for_all, HasSubstr("wait for each other"));
}

TEST_P(SampledLaunches, SmallLaunchesAreCheckedCompletely)
{
    const Machine::Shape small{{min_sampled_grid - 1, 1, 1}, {64, 1, 1}, 0};
    const auto out = machine_.buffer(std::vector<int>(threads));
    const int never_chosen = 77;
    EXPECT_EQ(machine_.fault("race", small, *out, blocks, never_chosen).kind, "race");
    EXPECT_EQ(sample_.checked, min_sampled_grid - 1);
    EXPECT_EQ(sample_.blocks, min_sampled_grid - 1);
    EXPECT_THAT(sample_.reason_for_all, HasSubstr("fewer than 256"));
}

// A chosen block waits for one that is not chosen, although its loads and updates do not order
// blocks.
TEST_P(SampledLaunches, WaitingBlocksAreAllChecked)
{
    constexpr std::string_view text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry waits(.param .u64 flag, .param .u32 setter)
{
    .reg .pred %p;
    .reg .b32 %b, %s, %f;
    .reg .b64 %at;
    ld.param.u64 %at, [flag];
    ld.param.u32 %s, [setter];
    mov.u32 %b, %ctaid.x;
    setp.eq.u32 %p, %b, %s;
    @%p bra sets;
again:
    ld.global.u32 %f, [%at];
    setp.eq.u32 %p, %f, 0;
    @%p bra again;
    ret;
sets:
    red.global.add.u32 [%at], 1;
    ret;
}
)";
    const Machine::Shape line{{300, 1, 1}, {32, 1, 1}, 0};
    Options options = options_for(GetParam(), nullptr);
    options.patience = 1 << 12;
    const auto fault_of = [&](trace::Sample* sample) {
        options.sample = sample;
        Machine machine = Machine::from_text(text, options);
        const auto flag = machine.buffer(std::vector<int>{0});
        return machine.fault("waits", line, *flag, unchosen_block(line.grid));
    };
    const trace::Fault whole = fault_of(nullptr);
    const trace::Fault sampled = fault_of(&sample_);
    EXPECT_NE(whole.kind, "endless");
    EXPECT_EQ(sampled.kind, whole.kind);
    EXPECT_EQ(sampled.message, whole.message);
    EXPECT_EQ(sample_.checked, 300U);
    EXPECT_EQ(sample_.blocks, 300U);
    EXPECT_THAT(sample_.reason_for_all, HasSubstr("wait for each other"));
}

TEST_P(SampledLaunches, WarningsOfChosenBlocksAreKept)
{
    Options options = options_for(GetParam(), &sample_);
    options.survives_doubtful_results = true;
    Machine machine("sample", options);
    const std::vector<int> in = numbers(threads, 1000);
    const auto given = machine.buffer(in);
    const auto out = machine.buffer(std::vector<int>(threads));
    trace::Trace trace;
    machine.run_traced(&trace, "divide", wide, *given, *out, blocks, blocks - 1, 0);
    ASSERT_EQ(trace.faults.size(), 1U);
    EXPECT_EQ(trace.faults[0].kind, "zero_division");
    EXPECT_EQ(trace.faults[0].line, 73);
    EXPECT_EQ(trace.blocks_ended, std::uint64_t{blocks});
    const std::vector<int> halves = machine.values<int>(*out);
    for (int i = 0; i < threads - 64; ++i)
        ASSERT_EQ(halves[static_cast<std::size_t>(i)], in[static_cast<std::size_t>(i)] / 2);
}

TEST_P(SampledLaunches, SurvivedFaultsEndTheLaunch)
{
    Options options = options_for(GetParam(), &sample_);
    options.keep_going = 3;
    Machine machine("sample", options);
    const auto out = machine.buffer(std::vector<int>(threads));
    trace::Trace trace;
    machine.run_traced(&trace, "race", wide, *out, blocks, blocks - 1);
    ASSERT_EQ(trace.faults.size(), 1U);
    EXPECT_EQ(trace.faults[0].kind, "race");
    EXPECT_TRUE(sample_.stopped);
}

TEST(SampledLaunch, IsOfferedWhereItSavesTime)
{
    Progress progress;
    trace::Sample sample;
    const auto offered = [&](const Checks& checks, trace::Sample* asked,
                             const Machine::Shape& shape) {
        Options options;
        options.checks = checks;
        options.progress = &progress;
        options.sample = asked;
        Machine machine("sample", options);
        const auto data = machine.buffer(std::vector<int>(threads));
        machine.run("scale", shape, *data);
        return progress.could_sample.load();
    };
    EXPECT_TRUE(offered(Checks::all(), nullptr, wide));
    EXPECT_FALSE(offered(Checks::all(), &sample, wide));
    EXPECT_FALSE(offered({}, nullptr, wide));
    EXPECT_FALSE(offered(Checks::all(), nullptr, {{16, 15, 1}, {64, 1, 1}, 0}));
}

TEST(SampleBlocks, HaveCornersAndEdges)
{
    for (const Dim3 grid : {Dim3{256, 1, 1}, Dim3{1, 300, 1}, Dim3{128, 128, 1}, Dim3{17, 1, 40},
                            Dim3{9, 10, 11}, Dim3{4096, 4096, 4}}) {
        SCOPED_TRACE(fmt::format("{} × {} × {}", grid.x, grid.y, grid.z));
        const std::vector<std::uint64_t> chosen = sample_blocks(grid, 1);
        EXPECT_TRUE(std::ranges::is_sorted(chosen));
        EXPECT_EQ(std::ranges::adjacent_find(chosen), chosen.end());
        EXPECT_LT(chosen.back(), grid.count());
        EXPECT_EQ(chosen, sample_blocks(grid, 1));
        EXPECT_NE(chosen, sample_blocks(grid, 2));
        EXPECT_GE(chosen.size(), 60U);
        EXPECT_LE(chosen.size(), 2048U + 56U);
        EXPECT_LE(2 * chosen.size(), grid.count());
        const Dim3 last{grid.x - 1, grid.y - 1, grid.z - 1};
        const auto number = [&](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
            return x + grid.x * (y + grid.y * z);
        };
        for (const std::uint32_t x : {0U, last.x})
            for (const std::uint32_t y : {0U, last.y})
                for (const std::uint32_t z : {0U, last.z})
                    EXPECT_THAT(chosen, Contains(number(x, y, z)));
        const auto on_side = [&](auto&& is) { return std::ranges::count_if(chosen, is); };
        if (grid.x > 1) {
            EXPECT_GE(on_side([&](std::uint64_t block) { return block % grid.x == last.x; }), 1);
        }
        if (grid.z == 1 && grid.y > 100 && grid.x > 100) {
            EXPECT_GE(on_side([&](std::uint64_t block) { return block % grid.x == last.x; }), 8);
            EXPECT_GE(on_side([&](std::uint64_t block) { return block < grid.x; }), 8);
        }
    }
}

TEST(SampleBlocks, LeaveNoRegionOut)
{
    const Dim3 grid{128, 128, 1};
    const std::vector<std::uint64_t> chosen = sample_blocks(grid, 1);
    EXPECT_GE(chosen.size(), grid.count() / 50);
    for (std::uint64_t begin = 0; begin < grid.count(); begin += 256)
        EXPECT_TRUE(std::ranges::any_of(chosen, [&](std::uint64_t block) {
            return block >= begin && block < begin + 256;
        })) << begin;
    const auto next = std::ranges::count_if(
        chosen, [&](std::uint64_t block) { return std::ranges::binary_search(chosen, block + 1); });
    const auto below = std::ranges::count_if(chosen, [&](std::uint64_t block) {
        return std::ranges::binary_search(chosen, block + grid.x);
    });
    EXPECT_GE(next, 60);
    EXPECT_GE(below, 60);
}

} // namespace
} // namespace lanescope::simt
