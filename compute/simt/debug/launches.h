// A lockstep machine that notes what is launched on it, with memory as it was before, so that each
// launch can be gone through afterwards: what a lab's step launches, one after the other, and what
// kernels launch from the device, as launches of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compute/simt/debug/timeline.h"
#include "compute/simt/simt_device.h"

namespace lanescope::simt {

struct NotedLaunch {
    const device::Kernel* kernel = nullptr;
    device::Launch launch; // without a trace; its names are those below
    std::vector<std::string> parameter_names;
    MemoryState before;
};

class SteppedDevice : public SimtDevice {
public:
    // What each PTX text is replaced by before it is loaded; the same kernels with the same
    // parameters.
    using Replace = std::function<std::string(std::string_view ptx)>;
    explicit SteppedDevice(const Options& options, Replace replace = {});

    std::unique_ptr<device::Module> load(std::string_view ptx) override;
    // What several devices launch is noted in one place: this one plays them all itself.
    int count() const override { return 1; }

    // Launches that run are noted from now on, or not; forgets what was noted. A launch that faults
    // is noted, too.
    void note(bool on);
    // Instead of running a launch, while it is not null: whoever steps it through, and gives what
    // it has asked for in turn.
    using Instead = std::function<std::shared_ptr<DeviceLaunches>(const device::Kernel&,
                                                                  const device::Launch&)>;
    void launch_by(Instead instead) { instead_ = std::move(instead); }

    const std::vector<std::unique_ptr<NotedLaunch>>& launches() const { return launches_; }
    // A timeline over a noted launch, which begins with memory as it was then. One at a time has
    // the memory: Timeline::release() the others, and reclaim() the one that goes on.
    std::unique_ptr<Timeline> timeline(std::size_t launch, const TimelineOptions& options = {});

protected:
    std::shared_ptr<DeviceLaunches> run_one(const device::Kernel& kernel,
                                            const device::Launch& launch,
                                            const Asked& asked) override;

private:
    Replace replace_;
    Instead instead_;
    bool noting_ = false;
    std::vector<std::unique_ptr<NotedLaunch>> launches_;
};

} // namespace lanescope::simt
