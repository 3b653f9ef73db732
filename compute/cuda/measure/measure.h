// How the program measures time: everything warmed up, candidates interleaved (A B A B) so that
// clocks and neighbours treat them alike, medians with their spread, and short work in batches.
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
    Spread ms;               // of one run
    int runs_per_sample = 1; // above 1 where one run is too short for the clock
};

struct MeasureOptions {
    int warm_ups = 3;
    int samples = 30;
    // Shorter work is timed in batches of about this length: the clock resolves half a microsecond,
    // and before the first launch reaches the GPU, and between a run's launches, the GPU waits for
    // the processor.
    double batch_below_ms = 0.5;
    double batch_ms = 1;
    // A run that is long needs no 30 samples: a candidate that took this long has enough once it
    // has the fewest.
    double enough_ms = 2000;
    int min_samples = 7;
};

// One summary a candidate, in order. Throws DeviceError if the device has no clock (`simt`).
std::vector<Summary> measure(device::Device& device, std::span<const Work> candidates,
                             const MeasureOptions& options = {});

} // namespace lanescope::cuda
