// What the driver says about a GPU, in the device interface's terms.
#pragma once

#include "compute/device/device.h"

namespace lanescope::cuda {

device::Properties device_properties(int ordinal);

} // namespace lanescope::cuda
