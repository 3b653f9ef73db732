// The measuring loop, on the device interface's timer.
#include "compute/cuda/measure/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lanescope::cuda {
namespace {

// Waits, so that a section is read before the next one starts.
double time_once(device::Device& device, device::Timer& timer, const Work& work, int runs)
{
    timer.begin();
    for (int i = 0; i < runs; ++i) work();
    timer.end();
    device.synchronize();
    const std::vector<double> finished = timer.poll_ms();
    return finished.empty() ? std::numeric_limits<double>::quiet_NaN() : finished.back();
}

int runs_for(double one_ms, const MeasureOptions& options)
{
    if (!(one_ms < options.batch_below_ms)) return 1;
    const double floor_ms = 0.001; // a launch takes microseconds, whatever the clock reports
    return static_cast<int>(std::ceil(options.batch_ms / std::max(one_ms, floor_ms)));
}

Summary summarize(const std::vector<double>& sample_ms, int runs)
{
    const Spread all = spread_of(sample_ms);
    return {{all.count, all.median / runs, all.p10 / runs, all.p90 / runs}, runs};
}

} // namespace

std::vector<Summary> measure(device::Device& device, std::span<const Work> candidates,
                             const MeasureOptions& options)
{
    const std::unique_ptr<device::Timer> timer = device.timer();
    if (!timer)
        throw device::DeviceError(
            "This engine has no clock: its counts are exact, but its times are meaningless.",
            "Measure on a GPU with --device cuda.");
    std::vector<int> runs;
    for (const Work& work : candidates) {
        std::vector<double> warm;
        for (int i = 0; i < std::max(options.warm_ups, 1); ++i)
            warm.push_back(time_once(device, *timer, work, 1));
        runs.push_back(runs_for(*std::min_element(warm.begin(), warm.end()), options));
    }
    std::vector<std::vector<double>> samples(candidates.size());
    std::vector<double> taken_ms(candidates.size());
    for (int i = 0; i < options.samples; ++i)
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            if (i >= options.min_samples && taken_ms[k] >= options.enough_ms) continue;
            samples[k].push_back(time_once(device, *timer, candidates[k], runs[k]));
            taken_ms[k] += samples[k].back();
        }

    std::vector<Summary> summaries;
    for (std::size_t k = 0; k < candidates.size(); ++k)
        summaries.push_back(summarize(samples[k], runs[k]));
    return summaries;
}

} // namespace lanescope::cuda
