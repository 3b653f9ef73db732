// The lab's variants side by side: bars of their times with the spread, all measured here; on simt,
// of their counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/history.h"
#include "app/panels/style.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

// What is known about one variant so far.
struct VariantReading {
    std::string title;
    bool shown = false; // it runs now
    Spread step_ms;
    double gb_per_s = 0;
    std::optional<trace::Totals> totals; // of its last counted step
};

// What the kernel needs and how many of its warps fit a multiprocessor, in words.
struct KernelReading {
    std::string resources; // "32 registers, 4 KiB shared memory, 256 threads"
    std::string occupancy; // "75 % occupancy: 48 of 64 warps, limited by registers"
};

// `copy_gb_per_s` is the roof of the device, 0 where it is not known.
void timings_panel(const PanelStyle& style, const std::vector<VariantReading>& variants,
                   const KernelReading& kernel, bool has_clock, double copy_gb_per_s);

} // namespace lanescope::app
