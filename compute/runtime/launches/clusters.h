// Cluster sizes: which ones a kernel, the program and a launch ask for, and which are possible.
#pragma once

#include <cstdint>
#include <string>

#include "compute/runtime/machine.h"

namespace lanescope::runtime {

// Blocks per cluster that launches of the function must have, in each direction; 0: not fixed.
Dim3 required_cluster(const Function& function, const device::KernelAttributes& attributes);
// Sets one direction of it, by cudaFuncSetAttribute.
cudaError_t require_cluster(Function& function, const device::KernelAttributes& attributes,
                            cudaFuncAttribute direction, int blocks);
// Blocks per cluster of the launch; 1 without clusters.
Dim3 cluster_of(const Function& function, const device::KernelAttributes& attributes,
                const LaunchRequest& request);
std::uint64_t max_blocks_per_cluster(const Function& function,
                                     const device::KernelAttributes& attributes);
// Why the launch's clusters are not possible; empty if they are.
std::string cluster_problem(const Function& function, const device::KernelAttributes& attributes,
                            const LaunchRequest& request);

} // namespace lanescope::runtime
