// Copies rows without padding, as labs store them.
#include "compute/runtime/passing/images.h"

#include <algorithm>

#include "compute/error.h"
#include "compute/runtime/passing/real.h"
#include "compute/runtime/reporting/image_formats.h"

namespace lanescope::runtime::passing {

namespace {

[[noreturn]] void refuse(const char* why)
{
    throw Error(ExitStatus::bad_usage, why, "");
}

void check(cudaError_t result)
{
    if (result != cudaSuccess) refuse("it reads an image whose texels cannot be copied.");
}

void set_format(const cudaChannelFormatDesc& channels, ImageBehind& image)
{
    if (!format_of(channels, image.format))
        refuse("its image has texels other than one, two or four channels of 8, 16 or 32 bits.");
}

std::size_t row_bytes(const ImageBehind& image)
{
    return static_cast<std::size_t>(image.shape.width) *
           static_cast<std::size_t>(device::bytes_per_pixel(image.format));
}

std::size_t rows(const ImageBehind& image)
{
    return static_cast<std::size_t>(std::max(image.shape.height, 1));
}

void copy_array(cudaArray_t array, ImageBehind& image)
{
    cudaChannelFormatDesc channels{};
    cudaExtent extent{};
    unsigned flags = 0;
    check(REAL(cudaArrayGetInfo)(&channels, &extent, &flags, array));
    set_format(channels, image);
    image.shape.width = static_cast<int>(extent.width);
    image.shape.height = static_cast<int>(extent.height);
    image.shape.depth = static_cast<int>(extent.depth);
    if (extent.depth > 0) return; // labs have no 3D images
    image.texels.resize(row_bytes(image) * rows(image));
    check(REAL(cudaMemcpy2DFromArray)(image.texels.data(), row_bytes(image), array, 0, 0,
                                      row_bytes(image), rows(image), cudaMemcpyDeviceToHost));
}

void copy_linear(const cudaResourceDesc& resource, ImageBehind& image)
{
    const auto& linear = resource.res.linear;
    set_format(linear.desc, image);
    image.shape.width = static_cast<int>(
        linear.sizeInBytes / static_cast<std::size_t>(device::bytes_per_pixel(image.format)));
    image.texels.resize(row_bytes(image));
    check(REAL(cudaMemcpy)(image.texels.data(), linear.devPtr, image.texels.size(),
                           cudaMemcpyDefault));
}

void copy_pitched(const cudaResourceDesc& resource, ImageBehind& image)
{
    const auto& pitched = resource.res.pitch2D;
    set_format(pitched.desc, image);
    image.shape.width = static_cast<int>(pitched.width);
    image.shape.height = static_cast<int>(pitched.height);
    image.texels.resize(row_bytes(image) * rows(image));
    check(REAL(cudaMemcpy2D)(image.texels.data(), row_bytes(image), pitched.devPtr,
                             pitched.pitchInBytes, row_bytes(image), rows(image),
                             cudaMemcpyDefault));
}

} // namespace

Images& Images::instance()
{
    static Images* const images = new Images; // never destroyed: used during process exit
    return *images;
}

void Images::made(std::uint64_t handle, const Made& image)
{
    const std::lock_guard lock(mutex_);
    made_.insert_or_assign({handle, image.is_surface}, image);
}

void Images::destroyed(std::uint64_t handle, bool is_surface)
{
    const std::lock_guard lock(mutex_);
    made_.erase({handle, is_surface});
}

std::optional<ImageBehind> Images::behind(std::uint64_t handle, bool is_surface)
{
    const std::lock_guard lock(mutex_);
    const auto found = made_.find({handle, is_surface});
    if (found == made_.end()) return {};
    const Made& made = found->second;
    if (made.has_view) refuse("it reads an image through a resource view.");
    ImageBehind image;
    image.surface = is_surface;
    switch (made.resource.resType) {
    case cudaResourceTypeArray: copy_array(made.resource.res.array.array, image); break;
    case cudaResourceTypeLinear: copy_linear(made.resource, image); break;
    case cudaResourceTypePitch2D: copy_pitched(made.resource, image); break;
    default: refuse("it reads a mipmapped image.");
    }
    if (!is_surface) image.sampling = sampling_of(made.texture, image.format);
    return image;
}

} // namespace lanescope::runtime::passing
