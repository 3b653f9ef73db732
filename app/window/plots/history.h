// The last ten seconds of every variant: step times with their spread, on simt the counts.
#pragma once

#include <span>

#include "app/export/exhibit.h"
#include "app/window/plots/reading.h"

namespace lanescope::app {

Exhibit history_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                        bool has_clock);

} // namespace lanescope::app
