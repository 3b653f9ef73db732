// CUDA arrays, surface and texture objects, and copies of whole images.
#include "compute/cuda/image.h"

#include <algorithm>

#include "compute/device/checks.h"

namespace lanescope::cuda {
namespace {

cudaChannelFormatDesc channel_format(device::Format format)
{
    const int count = device::channels(format);
    const int bits = 8 * device::bytes_per_pixel(format) / count;
    const auto bits_if = [&](int channel) { return count > channel ? bits : 0; };
    const cudaChannelFormatKind kind =
        bits == 8 ? cudaChannelFormatKindUnsigned : cudaChannelFormatKindFloat;
    return cudaCreateChannelDesc(bits, bits_if(1), bits_if(2), bits_if(3), kind);
}

Array make_array(const Extent& extent, device::Format format)
{
    const cudaChannelFormatDesc channels = channel_format(format);
    const auto texels = [](int count) { return static_cast<std::size_t>(count); };
    const cudaExtent size{texels(extent.width), texels(extent.height), texels(extent.depth)};
    cudaArray_t array = nullptr;
    check(cudaMalloc3DArray(&array, &channels, size, cudaArraySurfaceLoadStore));
    return Array(array);
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

cudaExtent copied_extent(const device::Image& image)
{
    const auto texels = [](int count) { return static_cast<std::size_t>(std::max(count, 1)); };
    return {texels(image.width()), texels(image.height()), texels(image.depth())};
}

cudaPitchedPtr packed_rows(void* pointer, const device::Image& image)
{
    const std::size_t row =
        static_cast<std::size_t>(image.width()) * device::bytes_per_pixel(image.format());
    const cudaExtent extent = copied_extent(image);
    return {pointer, row, extent.width, extent.height};
}

} // namespace

CudaImage::CudaImage(Extent extent, device::Format format)
    : extent_(extent), format_(format), owned_(make_array(extent, format)), array_(owned_.get()),
      surface_(make_surface(array_))
{
}

CudaImage::CudaImage(cudaArray_t borrowed, Extent extent, device::Format format)
    : extent_(extent), format_(format), array_(borrowed), surface_(make_surface(borrowed))
{
}

CudaTexture::CudaTexture(const device::Image& image, const device::Sampling& sampling)
{
    device::check_sampling(image.format(), sampling);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_of(image);
    cudaTextureDesc description{};
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
        throw device::LaunchError("An image of another engine was given to the GPU.",
                                  "Allocate the image from the device that uses it.");
    void* array = on_gpu->array();
    if (!array)
        throw device::LaunchError("An image shared with OpenGL was used while it was not mapped.",
                                  "Map the shared memory before the frame's kernels and copies.");
    return static_cast<cudaArray_t>(array);
}

cudaMemcpy3DParms linear_to_image(const void* from, const device::Image& to)
{
    cudaMemcpy3DParms copy{};
    copy.srcPtr = packed_rows(const_cast<void*>(from), to);
    copy.dstArray = array_of(to);
    copy.extent = copied_extent(to);
    copy.kind = cudaMemcpyDefault;
    return copy;
}

cudaMemcpy3DParms image_to_linear(const device::Image& from, void* to)
{
    cudaMemcpy3DParms copy{};
    copy.srcArray = array_of(from);
    copy.dstPtr = packed_rows(to, from);
    copy.extent = copied_extent(from);
    copy.kind = cudaMemcpyDefault;
    return copy;
}

} // namespace lanescope::cuda
