// Chooses and opens the engine that the user asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "compute/device/device.h"

namespace lanescope::simt {
struct Options;
}

namespace lanescope::app {

struct OpenedEngine {
    std::unique_ptr<device::Device> device;
    std::string reason; // why this engine was chosen, as a sentence
    // True if the engine also continues a step after findings that are only warnings in a first
    // run.
    bool tolerates_first_run_warnings = false;
};

// `choice` is "auto", "cuda" or "simt". Throws DeviceError for "cuda" without a usable GPU.
// `simt_options` apply to the lockstep machine.
OpenedEngine open_engine(std::string_view choice);
OpenedEngine open_engine(std::string_view choice, const simt::Options& simt_options);

// CUDA ordinal of the GPU that should draw for this choice, so that memory can be shared; empty if
// the CPU computes.
std::optional<int> drawing_gpu(std::string_view choice);

} // namespace lanescope::app
