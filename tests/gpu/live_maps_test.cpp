// Maps painted on the GPU from counters that were never read back are those painted from the trace.
#include "compute/cuda/live_maps.h"

#include <cmath>
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

    std::unique_ptr<device::Module> module;
    std::unique_ptr<device::Buffer> in;
    std::unique_ptr<device::Buffer> out;
};

TEST_F(Mapped, EqualsTheMapOfTheTrace)
{
    const trace::Trace read_back = launched(false);
    const trace::Trace kept = launched(true);
    EXPECT_TRUE(kept.counts.empty()) << "nothing may be read back";
    ASSERT_EQ(kept.device_counts.elements, 65536u);
    ASSERT_EQ(kept.device_counts.sectors, 8192u);

    cuda::LiveMaps maps(*gpu);
    const auto painted = gpu->allocate(4 * 65536);
    for (trace::WarpMetric metric :
         {trace::WarpMetric::active_lanes, trace::WarpMetric::global_excess,
          trace::WarpMetric::instructions, trace::WarpMetric::divergence}) {
        maps.paint_warps(kept.device_counts, metric, painted->address());
        const auto got = device::download<float>(*gpu, painted->address(), 65536);
        std::vector<float> want(65536);
        trace::paint_warps(read_back, metric, want);
        EXPECT_EQ(first_difference(got, want), "") << trace::text(metric).title;
        float low = std::numeric_limits<float>::infinity();
        float high = 0;
        for (float value : want)
            if (!std::isnan(value)) low = std::min(low, value), high = std::max(high, value);
        const auto range = maps.range();
        ASSERT_TRUE(range.has_value());
        EXPECT_EQ(range->low, low);
        EXPECT_EQ(range->high, high);
    }
    maps.paint_memory(kept.device_counts, trace::MemoryMetric::touches, painted->address());
    const auto got = device::download<float>(*gpu, painted->address(), 8192);
    std::vector<float> want(8192);
    trace::paint_memory(read_back, trace::MemoryMetric::touches, want);
    EXPECT_EQ(first_difference(got, want), "");
}

} // namespace
} // namespace lanescope::gpu_tests
