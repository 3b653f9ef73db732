// Each message states the value, the allowed range and the name of the limit.
#include "compute/device/checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/device/formats.h"
#include "compute/device/shaped_image.h"

namespace lanescope::device {
namespace {

std::string sizes_text(std::span<const std::size_t> sizes)
{
    std::string text;
    for (std::size_t size : sizes) text += fmt::format("{}{}", text.empty() ? "" : ", ", size);
    return sizes.size() == 1 ? text + " byte(s)" : text + " bytes";
}

void check_arguments(const Kernel& kernel, const Launch& launch)
{
    const auto sizes = kernel.parameter_sizes();
    if (launch.arguments.size() != sizes.size()) {
        const std::string wanted =
            sizes.empty() ? "none" : fmt::format("{} ({})", sizes.size(), sizes_text(sizes));
        throw LaunchError(
            fmt::format("Kernel {} was given {} arguments, but its parameter list has {}.",
                        kernel.name(), launch.arguments.size(), wanted),
            "Give one argument for each parameter, in order.");
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::size_t given = launch.arguments[i].bytes().size();
        if (given != sizes[i])
            throw LaunchError(
                fmt::format("Argument {} of kernel {} has {} bytes, but the parameter takes {}.", i,
                            kernel.name(), given, sizes[i]),
                "Arguments are numbered from 0; an int or float has 4 bytes, a pointer or double "
                "8.");
    }
}

std::string size_text(Dim3 size)
{
    return fmt::format("{} x {} x {}", size.x, size.y, size.z);
}

void check_extent(const Kernel& kernel, const char* what, const Dim3& size, const Dim3& limit)
{
    if (size.x == 0 || size.y == 0 || size.z == 0)
        throw LaunchError(fmt::format("Kernel {} was launched with an empty {}: {} x {} x {}.",
                                      kernel.name(), what, size.x, size.y, size.z),
                          "Every extent must be at least 1.");
    if (size.x > limit.x || size.y > limit.y || size.z > limit.z)
        throw LaunchError(
            fmt::format("Kernel {} was launched with a {} of {} x {} x {}; the device allows at "
                        "most {} x {} x {}.",
                        kernel.name(), what, size.x, size.y, size.z, limit.x, limit.y, limit.z),
            fmt::format("Choose a smaller {}.", what));
}

void check_cluster(const Kernel& kernel, const KernelAttributes& attributes, const Launch& launch,
                   const LaunchLimits& limits)
{
    if (launch.cluster && attributes.cluster && *launch.cluster != *attributes.cluster)
        throw LaunchError(
            fmt::format("Kernel {} was launched with clusters of {} blocks, but was compiled for "
                        "clusters of {}.",
                        kernel.name(), size_text(*launch.cluster), size_text(*attributes.cluster)),
            "Leave the cluster size to the kernel (__cluster_dims__), or remove it there.");
    if (!launch.cluster && !attributes.cluster && attributes.needs_cluster)
        throw LaunchError(
            fmt::format("Kernel {} must be launched with a cluster size.", kernel.name()),
            "Give the blocks per cluster, such as --cluster 2.");
    const Dim3 size = cluster_of(attributes, launch);
    const std::uint32_t max_blocks =
        attributes.max_cluster_blocks == 0
            ? limits.blocks_per_cluster
            : std::min(attributes.max_cluster_blocks, limits.blocks_per_cluster);
    check_extent(kernel, "cluster", size, {max_blocks, max_blocks, max_blocks});
    if (size.count() > max_blocks)
        throw LaunchError(
            fmt::format("Kernel {} was launched with clusters of {} blocks; at most "
                        "{} are allowed.",
                        kernel.name(), size.count(), max_blocks),
            "Choose smaller clusters; every GPU with clusters has room for 8 blocks.");
    if (launch.grid.x % size.x != 0 || launch.grid.y % size.y != 0 || launch.grid.z % size.z != 0)
        throw LaunchError(
            fmt::format("Kernel {} was launched with a grid of {} blocks, which is not a multiple "
                        "of its clusters of {}.",
                        kernel.name(), size_text(launch.grid), size_text(size)),
            "Make each extent of the grid a multiple of that of the cluster.");
}

} // namespace

Dim3 cluster_of(const KernelAttributes& attributes, const Launch& launch)
{
    return launch.cluster.value_or(attributes.cluster.value_or(Dim3{}));
}

LaunchLimits launch_limits(const Properties& properties)
{
    LaunchLimits limits;
    if (properties.shared_per_block_optin > 0)
        limits.shared_bytes_per_block = properties.shared_per_block_optin;
    return limits;
}

void check_launch(const Kernel& kernel, const Launch& launch, const LaunchLimits& limits)
{
    check_arguments(kernel, launch);
    check_extent(kernel, "grid", launch.grid, limits.grid);
    check_extent(kernel, "block", launch.block, limits.block);

    const std::uint64_t threads = launch.block.count();
    if (threads > limits.threads_per_block)
        throw LaunchError(
            fmt::format(
                "Kernel {} was launched with {} threads per block; the device allows at most {}.",
                kernel.name(), threads, limits.threads_per_block),
            "Choose a smaller block.");

    const KernelAttributes attributes = kernel.attributes();
    if (threads > static_cast<std::uint64_t>(attributes.max_threads_per_block))
        throw LaunchError(
            fmt::format("Kernel {} was launched with {} threads per block, but was compiled for at "
                        "most {}.",
                        kernel.name(), threads, attributes.max_threads_per_block),
            "Choose a smaller block, or change the kernel's __launch_bounds__ or its registers.");

    check_cluster(kernel, attributes, launch, limits);

    const std::size_t shared = attributes.static_shared_bytes + launch.dynamic_shared_bytes;
    if (shared > limits.shared_bytes_per_block)
        throw LaunchError(
            fmt::format("Kernel {} asks for {} bytes of shared memory per block ({} static, {} "
                        "dynamic); the device has {}.",
                        kernel.name(), shared, attributes.static_shared_bytes,
                        launch.dynamic_shared_bytes, limits.shared_bytes_per_block),
            "Choose a smaller tile.");
}

std::size_t image_bytes(int width, int height, int depth, Format format)
{
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height > 0 ? height : 1) *
           static_cast<std::size_t>(depth > 0 ? depth : 1) *
           static_cast<std::size_t>(bytes_per_pixel(format));
}

std::size_t image_bytes(const Image& image)
{
    return image_bytes(shape_of(image), image.format());
}

void check_image(int width, int height, int depth)
{
    if (width < 1 || height < 0 || depth < 0 || (depth > 0 && height == 0))
        throw LaunchError(
            fmt::format("An image cannot have {} x {} x {} texels.", width, height, depth),
            "Give a width of at least 1, and a height if there is a depth.");
}

void check_image_bytes(const Image& image, std::size_t bytes)
{
    if (bytes != image_bytes(image))
        throw LaunchError(fmt::format("A copy of {} bytes was requested for an image of {} x {} x "
                                      "{} texels, which has {} bytes.",
                                      bytes, image.width(), image.height(), image.depth(),
                                      image_bytes(image)),
                          "Images are copied whole, in tightly packed rows.");
}

void check_sampling(Format format, const Sampling& sampling)
{
    const bool integers = has_integer_channels(format);
    for (AddressMode mode : sampling.address)
        if ((mode == AddressMode::wrap || mode == AddressMode::mirror) &&
            !sampling.normalized_coordinates)
            throw LaunchError("Textures wrap and mirror only with normalised coordinates.",
                              "Turn normalised coordinates on, or choose clamp or border.");
    if (sampling.normalized_reads && !integers)
        throw LaunchError("Only integer texels can be read as [0, 1]; these are floats already.",
                          "Turn normalised reads off.");
    if (sampling.filter == Filter::linear && integers && !sampling.normalized_reads)
        throw LaunchError(
            "Linear filtering needs values read as floats, and these texels are read as integers.",
            "Turn normalised reads on, or choose point sampling.");
}

} // namespace lanescope::device
