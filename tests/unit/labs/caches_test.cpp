// Every variant's accesses as the machine records them for a model of the caches: each counted
// sector once, and the same in every way of running the launch.
#include "compute/caches/replay.h"

#include <bit>

#include "compute/simt/simt_device.h"
#include "compute/trace/sum.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

struct Recorded {
    trace::Trace trace;
    caches::Recordings launches;
};

void record(const Case& one, const simt::Options& options, Recorded& to)
{
    const auto device = simt::make_device(options);
    device::PlainAllocator shown(*device);
    const auto experiment = one.lab->start({.device = *device,
                                            .shown = shown,
                                            .lab = *one.lab,
                                            .variant = *one.variant,
                                            .values = values_of(*one.lab, *one.size),
                                            .seed = 7,
                                            .image = {}});
    device->record_accesses(&to.launches);
    experiment->step(&to.trace);
    device->record_accesses(nullptr);
}

std::vector<std::vector<caches::Word>> words_of(const caches::Recordings& launches)
{
    std::vector<std::vector<caches::Word>> words;
    for (const caches::Recording& launch : launches)
        for (const caches::RecordedBlock& block : launch.blocks) words.push_back(block.words);
    return words;
}

class Caches : public testing::TestWithParam<Case> {};

TEST_P(Caches, EverySectorIsServedOnce)
{
    if (!GetParam().variant->runs_on(device::Engine::simt)) GTEST_SKIP() << "not on this engine";
    Recorded run;
    record(GetParam(), {}, run);
    const auto devices = GetParam().size->find("devices");
    if (devices != GetParam().size->end() && devices->second != "1")
        GTEST_SKIP() << "only launches of the first device are recorded";
    std::vector<caches::Served> sums(run.trace.sites.size());
    constexpr bool by_warp = true;
    const caches::Result result =
        caches::replay(run.launches, counting::gpu_named("H100"), caches::Before::cold, by_warp);
    for (std::size_t i = 0; i < run.launches.size(); ++i)
        for (std::size_t at = 0; at < run.launches[i].sites.size(); ++at)
            sums[trace::place_of(run.launches[i].sites[at], run.trace.sites, at)] +=
                result.launches[i][at];
    for (std::size_t i = 0; i < run.launches.size(); ++i) {
        caches::Served of_sites, of_warps;
        for (const caches::Served& one : result.launches[i]) of_sites += one;
        for (const caches::Served& one : result.warps[i]) of_warps += one;
        EXPECT_EQ(of_warps, of_sites) << "launch " << i;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const trace::Site& site = run.trace.sites[i];
        SCOPED_TRACE(site.ptx);
        const std::uint64_t sectors = run.trace.counts[i].sectors;
        const bool atomic = site.op == trace::Op::atomic || site.op == trace::Op::reduction;
        if (atomic) { // counted once per lane at the busiest address
            EXPECT_LE(sums[i].written, sectors);
            EXPECT_EQ(sums[i].written, sums[i].read());
            EXPECT_EQ(sums[i].written == 0, sectors == 0);
        } else {
            EXPECT_EQ(sums[i].read(), site.op == trace::Op::load ? sectors : 0);
            EXPECT_EQ(sums[i].written, site.op == trace::Op::store ? sectors : 0);
        }
    }
}

TEST_P(Caches, AccessesAreTheSameInNativeCodeAndUnderChecks)
{
    if (!GetParam().variant->runs_on(device::Engine::simt)) GTEST_SKIP() << "not on this engine";
    Recorded interpreted, native, checked, native_checked;
    record(GetParam(), {.threads = 1, .native = simt::NativeCode::never}, interpreted);
    record(GetParam(), {.threads = 2, .native = simt::NativeCode::always}, native);
    const simt::Checks checks = simt::Checks::all();
    record(GetParam(), {.threads = 2, .checks = checks, .native = simt::NativeCode::never},
           checked);
    record(GetParam(), {.threads = 1, .checks = checks, .native = simt::NativeCode::always},
           native_checked);
    const auto words = words_of(interpreted.launches);
    EXPECT_TRUE(words_of(native.launches) == words);
    EXPECT_TRUE(words_of(checked.launches) == words);
    EXPECT_TRUE(words_of(native_checked.launches) == words);
}

INSTANTIATE_TEST_SUITE_P(Labs, Caches, testing::ValuesIn(one_size_each()), case_name);

} // namespace
} // namespace lanescope::labs
