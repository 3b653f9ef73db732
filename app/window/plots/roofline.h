// The variants under this device's measured roofs: what they compute a second against what they
// compute a byte.
#pragma once

#include <span>

#include "app/export/exhibit.h"
#include "app/window/plots/reading.h"

namespace lanescope::app {

// Labs that compute nothing get bars against the copy roof.
Exhibit roofline_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                         bool has_clock, const Roofs& roofs);

} // namespace lanescope::app
