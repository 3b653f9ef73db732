// This device's copy bandwidth and multiply-add rate, measured during the first frames: the roofs
// that displayed rates are compared with.
#pragma once

#include <future>

#include "app/measure/roofs.h"
#include "compute/device/device.h"

namespace lanescope::app {

// The future is not valid() for an engine without a clock. The measurement uses its own stream.
std::future<Roofs> measure_roofs_in_background(const device::Device& device);

} // namespace lanescope::app
