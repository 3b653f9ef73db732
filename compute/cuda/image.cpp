// CUDA arrays, surface and texture objects, and copies of whole images.
#include "compute/cuda/image.h"

#include <algorithm>
#include <cstring>

#include "compute/device/checks.h"
#include "compute/device/formats.h"

namespace lanescope::cuda {
namespace {

cudaChannelFormatDesc channel_format(device::Format format)
{
    const device::FormatRow& row = device::row_of(format);
    const int bits = 8 * row.channel_bytes;
    const auto bits_if = [&](int channel) { return row.channels > channel ? bits : 0; };
    const cudaChannelFormatKind kind =
        row.kind == device::ChannelKind::real             ? cudaChannelFormatKindFloat
        : row.kind == device::ChannelKind::signed_integer ? cudaChannelFormatKindSigned
                                                          : cudaChannelFormatKindUnsigned;
    return cudaCreateChannelDesc(bits, bits_if(1), bits_if(2), bits_if(3), kind);
}

cudaExtent extent_of(const device::ImageShape& shape)
{
    const auto texels = [](int count) { return static_cast<std::size_t>(count); };
    return {texels(shape.width), texels(shape.height),
            texels(shape.layers > 0 ? shape.layers : shape.depth)};
}

unsigned flags_of(const device::ImageShape& shape)
{
    unsigned flags = cudaArraySurfaceLoadStore;
    if (shape.cube)
        flags |= cudaArrayCubemap;
    else if (shape.layers > 0)
        flags |= cudaArrayLayered;
    // tld4 supports only 2-D arrays without layers or levels.
    if (shape == device::ImageShape{shape.width, std::max(shape.height, 1)})
        flags |= cudaArrayTextureGather;
    return flags;
}

Array make_array(const device::ImageShape& shape, device::Format format)
{
    if (shape.levels > 1) return nullptr;
    const cudaChannelFormatDesc channels = channel_format(format);
    cudaArray_t array = nullptr;
    check(cudaMalloc3DArray(&array, &channels, extent_of(shape), flags_of(shape)));
    return Array(array);
}

Levels make_levels(const device::ImageShape& shape, device::Format format)
{
    if (shape.levels == 1) return nullptr;
    const cudaChannelFormatDesc channels = channel_format(format);
    cudaMipmappedArray_t array = nullptr;
    check(cudaMallocMipmappedArray(&array, &channels, extent_of(shape),
                                   static_cast<unsigned>(shape.levels), flags_of(shape)));
    return Levels(array);
}

cudaArray_t level_array(cudaMipmappedArray_t levels, int level)
{
    cudaArray_t array = nullptr;
    check(cudaGetMipmappedArrayLevel(&array, levels, static_cast<unsigned>(level)));
    return array;
}

Surface make_surface(cudaArray_t array)
{
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface = 0;
    check(cudaCreateSurfaceObject(&surface, &resource));
    return Surface(surface);
}

cudaTextureAddressMode address_mode(device::AddressMode mode)
{
    switch (mode) {
    case device::AddressMode::wrap: return cudaAddressModeWrap;
    case device::AddressMode::clamp: return cudaAddressModeClamp;
    case device::AddressMode::mirror: return cudaAddressModeMirror;
    case device::AddressMode::border: return cudaAddressModeBorder;
    }
    return cudaAddressModeClamp;
}

// Calls describe(array, extent, offset in linear memory, row count) for every level.
template <class Describe>
std::vector<cudaMemcpy3DParms> for_levels(const device::Image& image, const void* linear,
                                          Describe describe)
{
    const device::ImageShape shape = device::shape_of(image);
    const auto* on_gpu = dynamic_cast<const ArrayImage*>(&image);
    const auto pixel = static_cast<std::size_t>(device::bytes_per_pixel(image.format()));
    auto* bytes = static_cast<std::byte*>(const_cast<void*>(linear));
    std::vector<cudaMemcpy3DParms> copies;
    for (int level = 0; level < shape.levels; ++level) {
        const device::ImageShape part = device::level_of(shape, level);
        cudaExtent extent = extent_of(part);
        extent.height = std::max<std::size_t>(extent.height, 1);
        extent.depth = std::max<std::size_t>(extent.depth, 1);
        const cudaArray_t array =
            shape.levels == 1
                ? array_of(image)
                : level_array(static_cast<cudaMipmappedArray_t>(on_gpu->levels()), level);
        const cudaPitchedPtr rows{bytes, extent.width * pixel, extent.width, extent.height};
        cudaMemcpy3DParms copy{};
        copy.extent = extent;
        copy.kind = cudaMemcpyDefault;
        describe(copy, array, rows);
        copies.push_back(copy);
        bytes += device::image_bytes(part, image.format());
    }
    return copies;
}

} // namespace

CudaImage::CudaImage(const device::ImageShape& shape, device::Format format)
    : shape_(shape), format_(format), owned_(make_array(shape, format)),
      levels_(make_levels(shape, format)),
      array_(owned_ ? owned_.get() : level_array(levels_.get(), 0)), surface_(make_surface(array_))
{
}

CudaImage::CudaImage(cudaArray_t borrowed, const device::ImageShape& shape, device::Format format)
    : shape_(shape), format_(format), array_(borrowed), surface_(make_surface(borrowed))
{
}

CudaTexture::CudaTexture(const device::Image& image, const device::Sampling& sampling,
                         device::Filter between_levels)
{
    device::check_sampling(image.format(), sampling);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_of(image);
    const device::ImageShape shape = device::shape_of(image);
    if (shape.levels > 1) {
        const auto* on_gpu = dynamic_cast<const ArrayImage*>(&image);
        resource.resType = cudaResourceTypeMipmappedArray;
        resource.res.mipmap.mipmap = static_cast<cudaMipmappedArray_t>(on_gpu->levels());
    }
    cudaTextureDesc description{};
    description.mipmapLevelBias = sampling.level_bias;
    description.minMipmapLevelClamp = sampling.lowest_level;
    description.maxMipmapLevelClamp =
        std::min(sampling.highest_level, static_cast<float>(shape.levels - 1));
    static_assert(sizeof description.borderColor == sizeof sampling.border);
    std::memcpy(description.borderColor, sampling.border.data(), sizeof description.borderColor);
    description.mipmapFilterMode =
        between_levels == device::Filter::linear ? cudaFilterModeLinear : cudaFilterModePoint;
    for (int i = 0; i < 3; ++i) description.addressMode[i] = address_mode(sampling.address[i]);
    description.filterMode =
        sampling.filter == device::Filter::linear ? cudaFilterModeLinear : cudaFilterModePoint;
    description.readMode =
        sampling.normalized_reads ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    description.normalizedCoords = sampling.normalized_coordinates ? 1 : 0;
    cudaTextureObject_t object = 0;
    check(cudaCreateTextureObject(&object, &resource, &description, nullptr));
    object_ = TextureObject(object);
}

cudaArray_t array_of(const device::Image& image)
{
    const auto* on_gpu = dynamic_cast<const ArrayImage*>(&image);
    if (!on_gpu)
        throw device::LaunchError("An image from another engine was passed to the GPU.",
                                  "Allocate the image from the device that uses it.");
    void* array = on_gpu->array();
    if (!array)
        throw device::LaunchError("An image shared with OpenGL was used while it was not mapped.",
                                  "Map the shared memory before the frame's kernels and copies.");
    return static_cast<cudaArray_t>(array);
}

std::vector<cudaMemcpy3DParms> linear_to_image(const void* from, const device::Image& to)
{
    return for_levels(to, from,
                      [](cudaMemcpy3DParms& copy, cudaArray_t array, const cudaPitchedPtr& rows) {
                          copy.srcPtr = rows;
                          copy.dstArray = array;
                      });
}

std::vector<cudaMemcpy3DParms> image_to_linear(const device::Image& from, void* to)
{
    return for_levels(from, to,
                      [](cudaMemcpy3DParms& copy, cudaArray_t array, const cudaPitchedPtr& rows) {
                          copy.srcArray = array;
                          copy.dstPtr = rows;
                      });
}

} // namespace lanescope::cuda
