// A kernel compiled with __cluster_dims__ fixes the size; otherwise the launch or the program does.
#include "compute/runtime/launches/clusters.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/simt/machine/memory/windows.h"

namespace lanescope::runtime {

namespace {

constexpr std::uint64_t portable_blocks = 8; // every GPU with clusters can run these

std::string cluster_text(const Dim3& size)
{
    return fmt::format("({}, {}, {})", size.x, size.y, size.z);
}

} // namespace

Dim3 required_cluster(const Function& function, const device::KernelAttributes& attributes)
{
    return attributes.cluster.value_or(function.required_cluster);
}

cudaError_t require_cluster(Function& function, const device::KernelAttributes& attributes,
                            cudaFuncAttribute direction, int blocks)
{
    if (attributes.cluster) return cudaErrorNotPermitted;
    if (blocks < 0) return cudaErrorInvalidValue;
    Dim3& size = function.required_cluster;
    std::uint32_t& extent = direction == cudaFuncAttributeRequiredClusterWidth    ? size.x
                            : direction == cudaFuncAttributeRequiredClusterHeight ? size.y
                                                                                  : size.z;
    extent = static_cast<std::uint32_t>(blocks);
    return cudaSuccess;
}

Dim3 cluster_of(const Function& function, const device::KernelAttributes& attributes,
                const LaunchRequest& request)
{
    if (request.cluster) return *request.cluster;
    const Dim3 required = required_cluster(function, attributes);
    return required == Dim3{0, 0, 0} ? Dim3{} : required;
}

std::uint64_t max_blocks_per_cluster(const Function& function,
                                     const device::KernelAttributes& attributes)
{
    const std::uint64_t max_blocks =
        function.large_clusters ? simt::max_cluster_blocks : portable_blocks;
    return attributes.max_cluster_blocks == 0
               ? max_blocks
               : std::min<std::uint64_t>(max_blocks, attributes.max_cluster_blocks);
}

std::string cluster_problem(const Function& function, const device::KernelAttributes& attributes,
                            const LaunchRequest& request)
{
    const Dim3 size = cluster_of(function, attributes, request);
    const Dim3 required = required_cluster(function, attributes);
    const std::uint64_t max_blocks = max_blocks_per_cluster(function, attributes);
    if (request.cluster && required != Dim3{0, 0, 0} && size != required)
        return fmt::format("clusters of {} blocks, but the kernel requires {} (__cluster_dims__).",
                           cluster_text(size), cluster_text(required));
    if (!request.cluster && required == Dim3{0, 0, 0} && attributes.needs_cluster)
        return "no cluster size, which this kernel requires: pass "
               "cudaLaunchAttributeClusterDimension to cudaLaunchKernelEx.";
    if (std::min({size.x, size.y, size.z}) == 0)
        return fmt::format("clusters of {} blocks, which are empty.", cluster_text(size));
    if (std::max({size.x, size.y, size.z}) > max_blocks || size.count() > max_blocks)
        return fmt::format("clusters of {} blocks, but at most {} blocks are allowed{}.",
                           cluster_text(size), max_blocks,
                           function.large_clusters || attributes.max_cluster_blocks != 0
                               ? ""
                               : " without cudaFuncAttributeNonPortableClusterSizeAllowed");
    if (request.grid.x % size.x != 0 || request.grid.y % size.y != 0 ||
        request.grid.z % size.z != 0)
        return fmt::format("a grid of {} blocks is not a multiple of its clusters of {}.",
                           cluster_text(request.grid), cluster_text(size));
    return {};
}

} // namespace lanescope::runtime
