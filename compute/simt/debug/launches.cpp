// A device that records its launches in addition to running them, so that they can be stepped
// through.
#include "compute/simt/debug/launches.h"

namespace lanescope::simt {

SteppedDevice::SteppedDevice(const Options& options, PtxTransform replace)
    : SimtDevice(options), transform_(std::move(replace))
{
}

std::unique_ptr<device::Module> SteppedDevice::load(std::string_view ptx)
{
    if (!transform_) return SimtDevice::load(ptx);
    return SimtDevice::load(transform_(ptx));
}

std::shared_ptr<DeviceLaunches> SteppedDevice::run_one(const device::Kernel& kernel,
                                                       const device::Launch& launch,
                                                       const LaunchOrigin& asked)
{
    if (launch_hook_) return launch_hook_(kernel, launch);
    if (noting_) {
        auto noted = std::make_unique<NotedLaunch>();
        noted->kernel = &kernel;
        noted->launch = launch;
        noted->launch.trace = nullptr;
        noted->parameter_names.assign(launch.parameter_names.begin(), launch.parameter_names.end());
        noted->launch.parameter_names = noted->parameter_names;
        const LaunchState state = prepare(kernel, noted->launch);
        const MemoryState* last = launches_.empty() ? nullptr : &launches_.back()->before;
        noted->before = PagedMemory(state).capture(last, nullptr, true);
        launches_.push_back(std::move(noted));
    }
    return SimtDevice::run_one(kernel, launch, asked);
}

void SteppedDevice::note(bool on)
{
    noting_ = on;
    launches_.clear();
}

std::unique_ptr<Timeline> SteppedDevice::timeline(std::size_t launch,
                                                  const TimelineOptions& options)
{
    const NotedLaunch& noted = *launches_.at(launch);
    const LaunchState state = prepare(*noted.kernel, noted.launch);
    PagedMemory(state).restore(noted.before, nullptr, nullptr);
    return std::make_unique<Timeline>(*this, *noted.kernel, noted.launch, options);
}

} // namespace lanescope::simt
