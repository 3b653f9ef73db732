// Cases of whole kernels: CUDA C++ under kernels/, and textures and surfaces.
#pragma once

#include <vector>

#include "tests/conformance/case.h"

namespace lanescope::conformance {

void add_kernel_cases(std::vector<Case>& cases);
void add_texture_cases(std::vector<Case>& cases);

} // namespace lanescope::conformance
