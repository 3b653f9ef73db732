// A lockstep machine that records each launch with the memory contents before it, for stepping
// through it later: the launches of a lab's step, in order, with device-side launches as separate
// launches.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compute/simt/debug/timeline.h"
#include "compute/simt/simt_device.h"

namespace lanescope::simt {

struct NotedLaunch {
    const device::Kernel* kernel = nullptr;
    device::Launch launch; // without a trace; its parameter names are stored below
    std::vector<std::string> parameter_names;
    MemoryState before;
};

class SteppedDevice : public SimtDevice {
public:
    // Replaces each PTX text before it is loaded; must keep the kernels and their parameters. If
    // the text has no variables of its own, launches that are not recorded run the kernels of the
    // given text, so that steps before the recorded one run as fast as without a replacement.
    using PtxTransform = std::function<std::string(std::string_view ptx)>;
    explicit SteppedDevice(const Options& options, PtxTransform replace = {});

    std::unique_ptr<device::Module> load(std::string_view ptx) override;
    // A single device, so that all launches are recorded in one place.
    int count() const override { return 1; }

    // Starts or stops recording, and discards recorded launches. Launches that fault are recorded
    // too.
    void note(bool on);
    // If set, called instead of running a launch, so that it can be stepped through; returns the
    // launch's device-side requests.
    using LaunchHook = std::function<std::shared_ptr<DeviceLaunches>(const device::Kernel&,
                                                                     const device::Launch&)>;
    void set_launch_hook(LaunchHook instead) { launch_hook_ = std::move(instead); }

    const std::vector<std::unique_ptr<NotedLaunch>>& launches() const { return launches_; }
    // Creates a timeline of a recorded launch, starting with the memory at that time. Only one
    // timeline can own the memory at a time: call Timeline::release() on the others, and reclaim()
    // before using one again.
    std::unique_ptr<Timeline> timeline(std::size_t launch, const TimelineOptions& options = {});

protected:
    std::shared_ptr<DeviceLaunches> run_one(const device::Kernel& kernel,
                                            const device::Launch& launch,
                                            const LaunchOrigin& asked) override;

private:
    // Kernels of the given text, by those that replace them.
    using Given = std::map<const device::Kernel*, const device::Kernel*>;
    class ReplacedModule;

    PtxTransform transform_;
    std::shared_ptr<Given> given_ = std::make_shared<Given>(); // modules may outlive the device
    LaunchHook launch_hook_;
    bool noting_ = false;
    std::vector<std::unique_ptr<NotedLaunch>> launches_;
};

} // namespace lanescope::simt
