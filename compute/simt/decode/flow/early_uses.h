// Registers of wgmma products that are still pending: found in the control flow, so that only
// instructions that may use one too early are checked when they execute.
#pragma once

#include <vector>

#include "compute/ptx/control_flow/cfg.h"

namespace lanescope::simt {

struct EarlyUses {
    // Per instruction: on some path to it, a product is pending whose accumulators it uses, or
    // whose matrix a it overwrites. Empty if the function has no products.
    std::vector<bool> suspects;
    // Per instruction: GroupProduct::unfenced.
    std::vector<int> unfenced;
};
EarlyUses find_early_uses(const ptx::Function& function, const ptx::ControlFlow& flow);

} // namespace lanescope::simt
