// This device's own copy bandwidth, measured beside the first frames: the roof over every bandwidth
// shown.
#pragma once

#include <future>

#include "compute/device/device.h"

namespace lanescope::app {

// In 10⁹ bytes a second, read plus written. Not valid() for an engine that has no clock. The
// measurement uses a stream of its own.
std::future<double> measure_copy_beside(const device::Device& device);

} // namespace lanescope::app
