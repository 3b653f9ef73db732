// Overhead of probes: the time of one launch of each variant, plain and probed, alternating. GPU
// only; the window shows the same ratio beside its maps.
#include <benchmark/benchmark.h>

#include <array>

#include "compute/cuda/cuda_device.h"
#include "compute/cuda/measure/measure.h"
#include "compute/experiment/lab/lab.h"

namespace {

using namespace lanescope;

void compare(benchmark::State& state, const labs::Lab& lab, const labs::Variant& variant, int size)
{
    try {
        const auto device = cuda::make_device();
        device::PlainAllocator memory(*device);
        labs::Values values(lab);
        if (size > 0) values.set("size", size);
        const auto experiment = lab.start({*device, memory, lab, variant, values, 1, {}});
        trace::Trace trace;
        trace.keep_on_device = true;
        const std::array<cuda::Work, 2> candidates{[&] { experiment->step(); },
                                                   [&] { experiment->step(&trace); }};
        const auto measured = cuda::measure(*device, candidates);
        for (auto _ : state) {
            (void)_;
            state.SetIterationTime(measured[1].ms.median * 1e-3);
        }
        state.counters["plain_us"] = measured[0].ms.median * 1e3;
        state.counters["probed_us"] = measured[1].ms.median * 1e3;
        state.counters["ratio"] = measured[1].ms.median / measured[0].ms.median;
    } catch (const Error& error) {
        state.SkipWithError(error.what());
    }
}

} // namespace

int main(int argc, char** argv)
{
    benchmark::Initialize(&argc, argv);
    for (const labs::Lab& lab : labs::all())
        for (const labs::Variant& variant : lab.variants) {
            const bool heat = lab.id == "heat";
            const std::string name = lab.id + "/" + variant.id + (heat ? "/1024" : "");
            benchmark::RegisterBenchmark(name.c_str(),
                                         [&lab, &variant, heat](benchmark::State& state) {
                                             compare(state, lab, variant, heat ? 1024 : 0);
                                         })
                ->Iterations(1)
                ->UseManualTime()
                ->Unit(benchmark::kMicrosecond);
        }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
