// Brings a lab to one of its steps on a separate machine, by repeating everything before the step.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/run/debug/debug_start.h"
#include "compute/device/device.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::simt {
class SteppedDevice;
}

namespace lanescope::app {

// Creates the machine that steps. If `start` selects the text as written, the machine runs
// `written`, its PTX, instead of the variant's own, unless `written` is empty.
std::unique_ptr<simt::SteppedDevice> stepped_device(const DebugStart& start,
                                                    const std::string& written);

// The state at the start of a step.
struct StepBegin {
    std::unique_ptr<labs::Experiment> experiment;
    std::int64_t step = 1; // number of the next step, from 1
    std::string note;      // why it is another step than the requested one; else empty
    labs::Values values;   // the initial values, if it is another step than the requested one
};
StepBegin step_start(const DebugStart& start, device::Device& device, device::Allocator& allocator);

} // namespace lanescope::app
