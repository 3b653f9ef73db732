// Whole-kernel cases: CUDA C++ under kernels/, matrix products, textures and surfaces.
#pragma once

#include <vector>

#include "tests/conformance/case.h"

namespace lanescope::conformance {

void add_kernel_cases(std::vector<Case>& cases);
void add_matrix_cases(std::vector<Case>& cases);
void add_sparse_cases(std::vector<Case>& cases);
void add_wgmma_cases(std::vector<Case>& cases);
void add_texture_cases(std::vector<Case>& cases);
void add_shape_cases(std::vector<Case>& cases);

} // namespace lanescope::conformance
