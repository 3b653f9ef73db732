// Constant memory serves a warp one word at a time; checked with hardware counters, if they exist.
#include <algorithm>
#include <cstdio>

#include "compute/cuda/counters/counters.h"
#include "compute/experiment/lab/lab.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

constexpr std::string_view metrics[] = {
    "idc__requests.sum",
    "idc__requests_lookup_hit.sum",
    "idc__requests_lookup_miss.sum",
    "idc__request_cycles_active.sum",
    "sm__idc_divergent_instruction_replays.sum",
    "smsp__inst_executed_pipe_adu.sum",
    "smsp__inst_executed_op_ldc.sum",
    "smsp__inst_executed.sum",
};

trace::HardwareCounts counted(cuda::CudaDevice& gpu, const char* variant)
{
    const labs::Lab& lab = labs::find("memory_spaces");
    labs::Values values(lab);
    values.set("index", "random");
    values.set("size", "256");
    values.set("lookups", "8");
    device::PlainAllocator memory(gpu);
    const auto experiment =
        lab.start({gpu, memory, lab, labs::find_variant(lab, variant), values, 1, {}});
    experiment->step();
    trace::Trace trace;
    return cuda::count_hardware(
        gpu, [&] { experiment->step(&trace); }, {}, metrics);
}

TEST_F(OnGpu, ConstantMemoryServesDifferentWordsOneByOne)
{
    trace::HardwareCounts uniform;
    trace::HardwareCounts scattered;
    try {
        uniform = counted(*gpu, "constant_uniform");
        scattered = counted(*gpu, "constant");
    } catch (const device::DeviceError& error) {
        GTEST_SKIP() << "no counters: " << error.what();
    }
    double max_ratio = 0; // highest ratio, scattered to uniform, of a constant-memory counter
    for (const std::string_view metric : metrics) {
        const auto few = uniform.metrics.find(metric);
        const auto many = scattered.metrics.find(metric);
        if (few == uniform.metrics.end() || many == scattered.metrics.end()) continue;
        printf("%-45.*s one a warp %10.0f, scattered %10.0f\n", static_cast<int>(metric.size()),
               metric.data(), few->second, many->second);
        if (metric.starts_with("idc__") || metric.starts_with("sm__idc"))
            max_ratio = std::max(max_ratio, many->second / std::max(1.0, few->second));
    }
    if (max_ratio == 0) GTEST_SKIP() << "this chip has no counter of constant memory";
    EXPECT_GT(max_ratio, 5);
}

} // namespace
} // namespace lanescope::gpu_tests
