// The cases that the simulated GPU can run: it has compute capability 8.6, and variants whose code
// is for a newer one are left out.
#pragma once

#include "compute/cuda/availability.h"
#include "compute/ptx/text/module.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::older_driver {

inline std::vector<labs::Case> cases_for_gpu()
{
    constexpr int capability = 86;
    std::vector<labs::Case> cases = labs::one_size_each();
    std::erase_if(cases, [](const labs::Case& one) {
        const ptx::Module module = ptx::parse(one.lab->ptx(*one.variant));
        return !cuda::target_problem(module.target, "it", capability).empty();
    });
    return cases;
}

} // namespace lanescope::older_driver
