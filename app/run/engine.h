// Chooses and opens the engine that a user asked for.
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
    std::string reason; // why it is this one, as a sentence for the screen
    // What a first run only warns of ends no step here, either: what failed there fails here alike.
    bool as_in_first_run = false;
};

// `choice` is "auto", "cuda" or "simt". Throws DeviceError for "cuda" where no GPU can be used.
// `simt_options` are for the lockstep machine, if it is the one.
OpenedEngine open_engine(std::string_view choice);
OpenedEngine open_engine(std::string_view choice, const simt::Options& simt_options);

// The GPU that should draw what this choice computes, by CUDA's number, so that memory can be
// shared; none where the processor computes.
std::optional<int> drawing_gpu(std::string_view choice);

} // namespace lanescope::app
