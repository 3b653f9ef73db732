// Parameters of graph nodes in both APIs' forms.
#pragma once

#include "compute/runtime/driver/driver.h"
#include "compute/runtime/graphs/graph.h"

namespace lanescope::runtime {

cudaKernelNodeParams kernel_node(const CUDA_KERNEL_NODE_PARAMS_v2& is);
cudaMemcpy3DParms copy_node(const CUDA_MEMCPY3D& is);

} // namespace lanescope::runtime
