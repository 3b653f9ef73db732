// The driver's properties of a GPU, in terms of the device interface.
#pragma once

#include "compute/device/device.h"

namespace lanescope::cuda {

device::Properties device_properties(int ordinal);

} // namespace lanescope::cuda
