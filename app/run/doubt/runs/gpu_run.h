// A launch on this machine's GPU, with its text assembled at a chosen optimisation level.
#pragma once

#include <string>
#include <vector>

#include "app/run/doubt/runs/version_run.h"

namespace lanescope::app {

struct GpuResults {
    std::string name; // "GPU, ptxas -O3"
    std::vector<ResultMemory> memory;
    std::string fault; // empty: none. After one, the memory is lost
};

// `level`: 0 to 4, as the driver counts; 4 is its usual one, ptxas -O3. Throws DeviceError without
// a GPU.
GpuResults gpu_results(const KernelLaunch& launch, int level);

} // namespace lanescope::app
