// Measures time: after a warm-up, with candidates interleaved (A B A B) so that clocks and other
// jobs affect them alike. Results are medians with their spread; short work is timed in batches.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compute/device/device.h"
#include "compute/spread.h"

namespace lanescope::cuda {

// Queues one run of the work on the device's stream.
using Work = std::function<void()>;

struct Summary {
    Spread ms;               // per run
    int runs_per_sample = 1; // above 1 if one run is too short for the clock
};

struct MeasureOptions {
    int warm_ups = 3;
    int samples = 30;
    // Shorter work is timed in batches of about this length: the clock resolves 0.5 µs, and the GPU
    // waits for the CPU before the first launch and between a run's launches.
    double batch_below_ms = 0.5;
    double batch_ms = 1;
    // A long run does not need 30 samples: after this much time the minimum number is enough.
    double enough_ms = 2000;
    int min_samples = 7;
};

// Returns one summary per candidate, in order. Throws DeviceError if the device has no clock
// (`simt`).
std::vector<Summary> measure(device::Device& device, std::span<const Work> candidates,
                             const MeasureOptions& options = {});

} // namespace lanescope::cuda
