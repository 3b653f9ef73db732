// Hardware counters on the simulated driver and profiler: they cover exactly the launches that simt
// and the probes count.
#include <gmock/gmock.h>

#include "app/measure/comparison.h"
#include "compute/cuda/counters/counters.h"
#include "compute/simt/simt_device.h"
#include "tests/unit/older_driver/cases.h"

namespace lanescope::older_driver {
namespace {

using testing::HasSubstr;

#if __has_include(<cupti_range_profiler.h>) && __has_include(<cupti_profiler_host.h>)
constexpr bool has_cupti = true;
#else
constexpr bool has_cupti = false;
#endif

class Counters : public testing::Test {
protected:
    void SetUp() override
    {
        if (!has_cupti) GTEST_SKIP() << "built without CUPTI";
    }
};

app::Comparison compared(const char* lab_id, const char* variant,
                         const std::map<std::string, std::string>& chosen)
{
    const labs::Lab& lab = labs::find(lab_id);
    return app::compare_sources(app::start_counted({.lab = &lab,
                                                    .variant = &labs::find_variant(lab, variant),
                                                    .values = labs::values_of(lab, chosen)}),
                                {}, {});
}

void expect_equal(const app::Comparison& comparison)
{
    ASSERT_FALSE(comparison.lines.empty());
    for (const trace::Comparison& line : comparison.lines) {
        EXPECT_EQ(line.probes, line.simt) << line.title;
        EXPECT_EQ(line.hardware, line.simt) << line.title;
    }
}

class CountedLab : public Counters, public testing::WithParamInterface<labs::Case> {
protected:
    app::CountedStep step() const
    {
        const labs::Case& one = GetParam();
        return {
            .lab = one.lab, .variant = one.variant, .values = labs::values_of(*one.lab, *one.size)};
    }
};

TEST_P(CountedLab, CountsMatchSimt)
{
    if (!GetParam().variant->runs_on(device::Engine::cuda))
        GTEST_SKIP() << "it runs on another engine only: the record says so";
    if (!GetParam().variant->varies.empty()) GTEST_SKIP() << "no two of its runs count the same";
    const app::StartCounted start = app::start_counted(step());
    const trace::Totals simt = start(*simt::make_device())->count().totals();
    const auto gpu = cuda::make_device();
    const auto counted = start(*gpu);
    const trace::HardwareCounts hardware = cuda::count_hardware(*gpu, [&] { counted->count(); });
    for (const trace::ComparedCount& line : trace::compared_counts()) {
        EXPECT_EQ(trace::hardware_value(line, hardware), line.ours(simt)) << line.title;
    }
}

INSTANTIATE_TEST_SUITE_P(Every, CountedLab, testing::ValuesIn(cases_for_gpu()), labs::case_name);

// A timeline is measured by extra launches of the step's operations, which must not be counted.
TEST_F(Counters, ExcludeTimelineMeasurements)
{
    expect_equal(compared("streams", "pinned", {{"size", "4096"}}));
    expect_equal(compared("devices", "overlapped", {{"size", "64"}}));
}

TEST_F(Counters, ExcludeWorkBeforeStep)
{
    expect_equal(compared("min_plus", "notes_coalesced", {{"size", "31"}}));
}

TEST_F(Counters, IncludeDeviceRuntime)
{
    const app::Comparison comparison = compared("launch_order", "tail_launch", {});
    bool more = false;
    for (const trace::Comparison& line : comparison.lines) {
        if (line.hardware == line.expected()) continue;
        more = true;
        EXPECT_THAT(line.reason, HasSubstr("device runtime"));
    }
    EXPECT_TRUE(more);
    EXPECT_TRUE(comparison.agrees());
}

TEST_F(Counters, RefuseTooManyLaunches)
{
    const labs::Lab& lab = labs::find("vector_add");
    const auto device = cuda::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment = lab.start(
        {*device, shown, lab, lab.variants.front(), labs::values_of(lab, {{"size", "64"}}), 1, {}});
    trace::Trace trace;
    const auto sectors = [&](int launches) {
        const trace::HardwareCounts counts = cuda::count_hardware(*device, [&] {
            for (int i = 0; i < launches; ++i) experiment->step(&trace);
        });
        return counts.metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    };
    EXPECT_EQ(sectors(64), 64 * sectors(1));
    EXPECT_TRUE(trace.counts.empty()) << "no probes ran";
    try {
        sectors(65);
        FAIL() << "65 launches were counted";
    } catch (const device::DeviceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("64 ranges for 65 launches"));
    }
    experiment->step(&trace);
    EXPECT_FALSE(trace.counts.empty()) << "probes count again";
}

} // namespace
} // namespace lanescope::older_driver
