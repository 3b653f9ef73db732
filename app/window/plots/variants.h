// The lab's variants as bars: their times with the spread, on simt their counts; and how many
// blocks of the shown kernel fit a multiprocessor.
#pragma once

#include <span>
#include <string>

#include "app/export/exhibit.h"
#include "app/run/frame.h"
#include "app/window/plots/reading.h"

namespace lanescope::app {

Exhibit variants_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                         const KernelNeeds& kernel, bool has_clock, const Roofs& roofs);

} // namespace lanescope::app
