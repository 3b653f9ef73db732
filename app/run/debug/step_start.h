// A step of a lab on a machine of its own: what was done before it is done again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/run/debug/debug_start.h"
#include "compute/device/device.h"
#include "compute/labs/lab.h"

namespace lanescope::simt {
class SteppedDevice;
}

namespace lanescope::app {

// The machine that a step is gone through on. The text as it was written runs in place of the
// variant's own, where `start` names it and `written`, its PTX, is not empty.
std::unique_ptr<simt::SteppedDevice> stepped_device(const DebugStart& start,
                                                    const std::string& written);

// Where a step begins: what has run before it.
struct StepBegin {
    std::unique_ptr<labs::Experiment> experiment;
    std::int64_t step = 1; // the number of the step that comes next, from 1
    std::string note;      // why it is not the one that was asked for; else empty
    labs::Values values;   // what it began with, where it is not
};
StepBegin step_start(const DebugStart& start, device::Device& device, device::Allocator& allocator);

} // namespace lanescope::app
