// Maps painted on the GPU from a launch's counters are those painted in host memory from the same
// counters, and the counters are those of a launch that reads them back.
#include "compute/cuda/live_maps.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

bool same(float a, float b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

// Empty when all elements are the same, else the first that is not and how many are not.
std::string first_difference(const std::vector<float>& got, const std::vector<float>& want)
{
    std::string text;
    std::size_t different = 0;
    for (std::size_t i = 0; i < want.size(); ++i)
        if (!same(got[i], want[i]) && different++ == 0)
            text = "element " + std::to_string(i) + ": " + std::to_string(got[i]) + ", not " +
                   std::to_string(want[i]);
    return different == 0 ? "" : text + "; " + std::to_string(different) + " differ";
}

class Mapped : public OnGpu {
protected:
    void SetUp() override
    {
        OnGpu::SetUp();
        if (IsSkipped()) return;
        module = gpu->load(assets::find("tests/gpu/probed_kernels.ptx").value());
        std::vector<unsigned> values(65536);
        std::iota(values.begin(), values.end(), 3u);
        in = uploaded(*gpu, values);
        out = uploaded(*gpu, values);
    }

    trace::Trace launched(bool keep_on_device)
    {
        trace::Trace trace;
        trace.keep_on_device = keep_on_device;
        trace.watched.address = in->address();
        trace.watched.bytes = in->bytes();
        trace.footprint.address = out->address();
        trace.footprint.bytes = out->bytes();
        gpu->launch(module->kernel("divergent_loop"), {.grid = {30, 1, 1},
                                                       .block = {250, 1, 1},
                                                       .arguments = {*out, *in, 5},
                                                       .trace = &trace});
        return trace;
    }

    template <class T>
    std::vector<T> downloaded(std::uint64_t address, std::size_t count)
    {
        return device::download<T>(*gpu, address, count);
    }

    // The counters that a launch left on the device, as a trace that was read back has them.
    trace::Trace read(const trace::DeviceCounts& counts)
    {
        trace::Trace trace;
        const auto records =
            downloaded<std::byte>(counts.warps, counts.warp_count * counts.warp_stride);
        trace.warps.resize(counts.warp_count);
        for (std::size_t i = 0; i < counts.warp_count; ++i)
            std::memcpy(&trace.warps[i], records.data() + i * counts.warp_stride,
                        sizeof(trace::WarpCounts));
        trace.footprint.owners = downloaded<std::uint32_t>(counts.owners, counts.elements);
        trace.watched.touches = downloaded<std::uint32_t>(counts.touches, counts.sectors);
        trace.watched.warps = downloaded<std::uint32_t>(counts.touch_warps, counts.sectors);
        return trace;
    }

    std::unique_ptr<device::Module> module;
    std::unique_ptr<device::Buffer> in;
    std::unique_ptr<device::Buffer> out;
};

TEST_F(Mapped, EqualsTheMapOfTheLaunchesCounters)
{
    const trace::Trace kept = launched(true);
    EXPECT_TRUE(kept.counts.empty()) << "nothing may be read back";
    ASSERT_EQ(kept.device_counts.elements, 65536u);
    ASSERT_EQ(kept.device_counts.sectors, 8192u);
    ASSERT_EQ(kept.device_counts.warp_count, 30u * 8);

    cuda::LiveMaps maps(*gpu);
    const auto painted = gpu->allocate(4 * 65536);
    const trace::Trace counters = read(kept.device_counts);
    for (trace::WarpMetric metric :
         {trace::WarpMetric::active_lanes, trace::WarpMetric::global_excess,
          trace::WarpMetric::instructions, trace::WarpMetric::divergence}) {
        maps.paint_warps(kept.device_counts, metric, painted->address());
        const auto got = downloaded<float>(painted->address(), 65536);
        std::vector<float> want(65536);
        trace::paint_warps(counters, metric, want);
        EXPECT_EQ(first_difference(got, want), "") << trace::text(metric).title;
        float low = std::numeric_limits<float>::infinity();
        float high = 0;
        for (float value : want)
            if (!std::isnan(value)) low = std::min(low, value), high = std::max(high, value);
        EXPECT_GT(high, 0) << "an empty map proves nothing";
        const auto range = maps.range();
        ASSERT_TRUE(range.has_value());
        EXPECT_EQ(range->low, low);
        EXPECT_EQ(range->high, high);
    }
    EXPECT_GT(std::ranges::max(counters.watched.touches), 0u) << "an empty map proves nothing";
    for (trace::MemoryMetric metric : {trace::MemoryMetric::touches, trace::MemoryMetric::warps}) {
        maps.paint_memory(kept.device_counts, metric, painted->address());
        const auto got = downloaded<float>(painted->address(), 8192);
        std::vector<float> want(8192);
        trace::paint_memory(counters, metric, want);
        EXPECT_EQ(first_difference(got, want), "") << trace::text(metric).title;
    }
}

TEST_F(Mapped, CountersThatStayAreThoseThatAreReadBack)
{
    const trace::Trace read_back = launched(false);
    const trace::Trace counters = read(launched(true).device_counts);
    EXPECT_EQ(counters.footprint.owners, read_back.footprint.owners);
    EXPECT_EQ(counters.watched.touches, read_back.watched.touches);
    EXPECT_EQ(counters.watched.warps, read_back.watched.warps);
    ASSERT_EQ(counters.warps.size(), read_back.warps.size());
    for (std::size_t i = 0; i < counters.warps.size(); ++i)
        EXPECT_EQ(counters.warps[i], read_back.warps[i]) << "warp " << i;
}

} // namespace
} // namespace lanescope::gpu_tests
