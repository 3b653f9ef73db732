// The lab's variants as bars: their times with the spread, on simt their counts; and how many
// blocks of the shown kernel fit a multiprocessor.
#pragma once

#include <span>
#include <string>

#include "app/export/exhibit.h"
#include "app/window/plots/reading.h"
#include "compute/counting/occupancy.h"

namespace lanescope::app {

// What a kernel needs of a multiprocessor.
struct KernelNeeds {
    std::string name;      // empty: no kernel
    int registers = 0;     // of a thread
    int shared_bytes = 0;  // of a block, static and dynamic
    int threads = 0;       // of a block
    bool compiled = false; // registers are those of a GPU, not those that the PTX declares
    std::optional<counting::Occupancy> occupancy; // none where the device is not a known GPU
};

Exhibit variants_exhibit(const labs::Lab& lab, std::span<const VariantReading> variants,
                         const KernelNeeds& kernel, bool has_clock, const Roofs& roofs);

} // namespace lanescope::app
