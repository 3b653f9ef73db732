// This device's own copy bandwidth and multiply-add rate, measured beside the first frames: the
// roofs over every rate shown.
#pragma once

#include <future>

#include "app/measure/roofs.h"
#include "compute/device/device.h"

namespace lanescope::app {

// Not valid() for an engine that has no clock. The measurement uses a stream of its own.
std::future<Roofs> measure_roofs_in_background(const device::Device& device);

} // namespace lanescope::app
