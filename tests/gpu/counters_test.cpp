// The GPU's hardware counters for a step cover exactly the launches that its trace counts: neither
// launches before the step nor those that only measure a timeline.
#include "compute/cuda/counters/counters.h"
#include "compute/experiment/lab/lab.h"
#include "compute/simt/simt_device.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

class Step {
public:
    Step(device::Device& device, const labs::Lab& lab, const char* variant)
        : memory_(device),
          experiment_(lab.start(
              {device, memory_, lab, labs::find_variant(lab, variant), labs::Values(lab), 1, {}}))
    {
    }
    trace::Trace count()
    {
        trace::Trace trace;
        trace.per_warp = false;
        experiment_->step(&trace);
        return trace;
    }

private:
    device::PlainAllocator memory_;
    std::unique_ptr<labs::Experiment> experiment_;
};

TEST_F(OnGpu, HardwareCountersMatchTrace)
{
    const auto counted_by_hardware = [&](const labs::Lab& lab, const char* variant) {
        Step step(*gpu, lab, variant);
        return cuda::count_hardware(*gpu, [&] { step.count(); });
    };
    try {
        counted_by_hardware(labs::find("vector_add"), "one_each");
    } catch (const device::DeviceError& error) {
        GTEST_SKIP() << error.what();
    }
    const auto simt = simt::make_device();
    for (const auto& [id, variant] : {std::pair{"streams", "pinned"},
                                      {"streams", "pageable"},
                                      {"faults", "cpu_clock_fixed"},
                                      {"min_plus", "notes_coalesced"}}) {
        SCOPED_TRACE(std::string(id) + "/" + variant);
        const labs::Lab& lab = labs::find(id);
        const trace::Totals counted = Step(*simt, lab, variant).count().totals();
        const trace::HardwareCounts hardware = counted_by_hardware(lab, variant);
        for (const trace::ComparedCount& line : trace::compared_counts()) {
            if (!line.noise.empty()) continue;
            EXPECT_EQ(trace::hardware_value(line, hardware), line.ours(counted)) << line.title;
        }
    }
}

} // namespace
} // namespace lanescope::gpu_tests
