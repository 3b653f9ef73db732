// What a device was measured to do at most.
#pragma once

namespace lanescope::app {

struct Roofs {
    double copy_gb_per_s = 0; // 0: not known
    double fp32_gflop_per_s = 0;
};

} // namespace lanescope::app
