// Arrays, textures and surfaces, through the driver API's descriptors.
#include "compute/runtime/driver/driver.h"

namespace lanescope::runtime {

namespace {

struct ChannelFormat {
    CUarray_format format;
    int bits;
    cudaChannelFormatKind kind;
};
constexpr ChannelFormat formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};

cudaArray_t runtime_array(CUarray array)
{
    return reinterpret_cast<cudaArray_t>(array);
}

cudaError_t make_array(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR& is)
{
    cudaChannelFormatDesc channels{};
    if (array == nullptr || !channels_of(is.Format, is.NumChannels, channels))
        return cudaErrorInvalidValue;
    return cudaMalloc3DArray(reinterpret_cast<cudaArray_t*>(array), &channels,
                             {is.Width, is.Height, is.Depth}, is.Flags);
}

cudaError_t describe(CUDA_ARRAY3D_DESCRIPTOR& is, CUarray array)
{
    cudaChannelFormatDesc channels{};
    cudaExtent extent{};
    unsigned flags = 0;
    const cudaError_t result = cudaArrayGetInfo(&channels, &extent, &flags, runtime_array(array));
    if (result != cudaSuccess) return result;
    is = {};
    is.Width = extent.width;
    is.Height = extent.height;
    is.Depth = extent.depth;
    is.Flags = flags;
    for (const int bits : {channels.x, channels.y, channels.z, channels.w})
        is.NumChannels += bits > 0;
    for (const ChannelFormat& each : formats)
        if (each.bits == channels.x && each.kind == channels.f) is.Format = each.format;
    return cudaSuccess;
}

// Returns false for resource kinds that the runtime does not have either.
bool resource_of(const CUDA_RESOURCE_DESC& is, cudaResourceDesc& resource)
{
    resource = {};
    switch (is.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = runtime_array(is.res.array.hArray);
        return true;
    case CU_RESOURCE_TYPE_LINEAR:
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = pointer_of(is.res.linear.devPtr);
        resource.res.linear.sizeInBytes = is.res.linear.sizeInBytes;
        return channels_of(is.res.linear.format, is.res.linear.numChannels,
                           resource.res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
        resource.resType = cudaResourceTypePitch2D;
        resource.res.pitch2D.devPtr = pointer_of(is.res.pitch2D.devPtr);
        resource.res.pitch2D.width = is.res.pitch2D.width;
        resource.res.pitch2D.height = is.res.pitch2D.height;
        resource.res.pitch2D.pitchInBytes = is.res.pitch2D.pitchInBytes;
        return channels_of(is.res.pitch2D.format, is.res.pitch2D.numChannels,
                           resource.res.pitch2D.desc);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        resource.resType = cudaResourceTypeMipmappedArray;
        resource.res.mipmap.mipmap =
            reinterpret_cast<cudaMipmappedArray_t>(is.res.mipmap.hMipmappedArray);
        return true;
    default: return false;
    }
}

// Integers of 8 and 16 bits are read as [0, 1] unless a flag says otherwise.
cudaTextureDesc description_of(const CUDA_TEXTURE_DESC& is)
{
    cudaTextureDesc description{};
    for (int i = 0; i < 3; ++i)
        description.addressMode[i] = static_cast<cudaTextureAddressMode>(is.addressMode[i]);
    description.filterMode = static_cast<cudaTextureFilterMode>(is.filterMode);
    description.readMode = (is.flags & CU_TRSF_READ_AS_INTEGER) != 0 ? cudaReadModeElementType
                                                                     : cudaReadModeNormalizedFloat;
    description.normalizedCoords = (is.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    description.sRGB = (is.flags & CU_TRSF_SRGB) != 0;
    description.mipmapFilterMode = static_cast<cudaTextureFilterMode>(is.mipmapFilterMode);
    description.mipmapLevelBias = is.mipmapLevelBias;
    description.minMipmapLevelClamp = is.minMipmapLevelClamp;
    description.maxMipmapLevelClamp = is.maxMipmapLevelClamp;
    for (int i = 0; i < 4; ++i) description.borderColor[i] = is.borderColor[i];
    return description;
}

} // namespace

bool channels_of(CUarray_format format, unsigned count, cudaChannelFormatDesc& channels)
{
    if (count != 1 && count != 2 && count != 4) return false;
    for (const ChannelFormat& each : formats) {
        if (each.format != format) continue;
        const auto bits = [&](unsigned channel) { return channel < count ? each.bits : 0; };
        channels = {bits(0), bits(1), bits(2), bits(3), each.kind};
        return true;
    }
    return false;
}

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

CUresult cuArrayCreate_v2(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* is)
{
    return driver("cuArrayCreate", [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        return make_array(array, {is->Width, is->Height, 0, is->Format, is->NumChannels, 0});
    });
}
CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* is)
{
    return driver("cuArray3DCreate", [&](Machine&) {
        return is == nullptr ? cudaErrorInvalidValue : make_array(array, *is);
    });
}
CUresult cuArrayDestroy(CUarray array)
{
    return driver(__func__, [&](Machine&) {
        return array == nullptr ? cudaErrorInvalidResourceHandle
                                : cudaFreeArray(runtime_array(array));
    });
}
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* is, CUarray array)
{
    return driver("cuArrayGetDescriptor", [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        CUDA_ARRAY3D_DESCRIPTOR all{};
        const cudaError_t result = describe(all, array);
        if (result == cudaSuccess) *is = {all.Width, all.Height, all.Format, all.NumChannels};
        return result;
    });
}
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* is, CUarray array)
{
    return driver("cuArray3DGetDescriptor", [&](Machine&) {
        return is == nullptr ? cudaErrorInvalidValue : describe(*is, array);
    });
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* mipmap, const CUDA_ARRAY3D_DESCRIPTOR* is,
                                unsigned levels)
{
    return driver(__func__, [&](Machine&) {
        cudaChannelFormatDesc channels{};
        if (mipmap == nullptr || is == nullptr ||
            !channels_of(is->Format, is->NumChannels, channels))
            return cudaErrorInvalidValue;
        return cudaMallocMipmappedArray(reinterpret_cast<cudaMipmappedArray_t*>(mipmap), &channels,
                                        {is->Width, is->Height, is->Depth}, levels, is->Flags);
    });
}
CUresult cuMipmappedArrayGetLevel(CUarray* array, CUmipmappedArray mipmap, unsigned level)
{
    return driver(__func__, [&](Machine&) {
        return cudaGetMipmappedArrayLevel(reinterpret_cast<cudaArray_t*>(array),
                                          reinterpret_cast<cudaMipmappedArray_t>(mipmap), level);
    });
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap)
{
    return driver(__func__, [&](Machine&) {
        return mipmap == nullptr
                   ? cudaErrorInvalidResourceHandle
                   : cudaFreeMipmappedArray(reinterpret_cast<cudaMipmappedArray_t>(mipmap));
    });
}

CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* is, const CUDA_RESOURCE_VIEW_DESC*)
{
    return driver(__func__, [&](Machine&) {
        cudaResourceDesc known{};
        if (texture == nullptr || resource == nullptr || is == nullptr ||
            !resource_of(*resource, known))
            return cudaErrorInvalidValue;
        const cudaTextureDesc description = description_of(*is);
        return cudaCreateTextureObject(texture, &known, &description, nullptr);
    });
}
CUresult cuTexObjectDestroy(CUtexObject texture)
{
    return driver(__func__, [&](Machine&) { return cudaDestroyTextureObject(texture); });
}
CUresult cuSurfObjectCreate(CUsurfObject* surface, const CUDA_RESOURCE_DESC* resource)
{
    return driver(__func__, [&](Machine&) {
        cudaResourceDesc known{};
        if (surface == nullptr || resource == nullptr || !resource_of(*resource, known))
            return cudaErrorInvalidValue;
        return cudaCreateSurfaceObject(surface, &known);
    });
}
CUresult cuSurfObjectDestroy(CUsurfObject surface)
{
    return driver(__func__, [&](Machine&) { return cudaDestroySurfaceObject(surface); });
}

} // extern "C"
